import { secrets } from '../../../../../kubernetes/resources.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { errorFinding, warningFinding } from '../../../../support/findings.ts'
import { IMAGE_PULL_SECRET } from '../properties.ts'
import type { HostWork } from './host-work.ts'
import { SECRET_NAMES } from './secrets.ts'

/** What the kubelet takes. */
const TYPES: readonly unknown[] = ['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg']

/** What is wrong with the Secret that property `image-pull-secret` names. One that is missing is only told: it may be made meanwhile. */
export const pullSecretFindings = async ({ site, plan, namespace }: HostWork): Promise<Finding[]> => {
  const name = plan.properties.imagePullSecret
  if (name === null) return []
  const what = `Secret ${namespace}/${name}, which property ${IMAGE_PULL_SECRET} names,`
  if (SECRET_NAMES.includes(name)) {
    return [errorFinding('ImagePullSecretUnfit', `${what} is one of the control plane's own. Name another.`)]
  }
  const found = await site.client.get(secrets(namespace), name)
  if (found === undefined) {
    const message = `${what} does not exist in the host. Images of a registry that demands a credential can't be pulled before it does.`
    return [warningFinding('ImagePullSecretMissing', message)]
  }
  if (TYPES.includes(found.type)) return []
  const message = `${what} is of type ${String(found.type)}, which no image is pulled with. Make it of type ${TYPES[0]}.`
  return [errorFinding('ImagePullSecretUnfit', message)]
}
