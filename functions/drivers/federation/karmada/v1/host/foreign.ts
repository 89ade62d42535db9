import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { roleBindings, roles, secrets, serviceAccounts } from '../../../../../kubernetes/resources.ts'
import { isOwned, listAll, nameOf, type Site } from '../../../../support/owned.ts'
import {
  configMaps,
  cronJobs,
  daemonSets,
  deployments,
  jobs,
  pods,
  services,
  statefulSets,
  volumeClaims,
} from './resources.ts'

type Kind = { of(namespace: string): Resource; isUsual?(object: KubernetesObject): boolean }

const named =
  (...names: string[]) =>
  ({ metadata }: KubernetesObject): boolean =>
    names.includes(metadata.name)

/** What Kubernetes itself and its distributions put into every namespace. */
const isTokenSecret = ({ type }: KubernetesObject): boolean =>
  type === 'kubernetes.io/service-account-token' || type === 'kubernetes.io/dockercfg'
const isSystem = ({ metadata }: KubernetesObject): boolean => metadata.name.startsWith('system:')

/** What counts as somebody else's: kinds that people or their tools make. */
const KINDS: readonly Kind[] = [
  { of: deployments },
  { of: statefulSets },
  { of: daemonSets },
  { of: jobs },
  { of: cronJobs },
  { of: pods },
  { of: services },
  { of: volumeClaims },
  { of: secrets, isUsual: isTokenSecret },
  { of: configMaps, isUsual: named('kube-root-ca.crt', 'openshift-service-ca.crt', 'istio-ca-root-cert') },
  { of: serviceAccounts, isUsual: named('default', 'builder', 'deployer') },
  { of: roles },
  { of: roleBindings, isUsual: isSystem },
]

const foreignOf = async (site: Site, namespace: string, { of, isUsual }: Kind): Promise<string[]> => {
  try {
    return (await listAll(site.client, of(namespace)))
      .filter((object) => !isOwned(site, object) && isUsual?.(object) !== true)
      .map((object) => nameOf(site, object))
  } catch (error) {
    // What we may not see we may not delete either.
    if (error instanceof PermissionDenied) return [`${of(namespace).plural} that we may not list`]
    throw error
  }
}

/** What lives in the namespace and is not this federation's, in words. */
export const foreignThings = async (site: Site, namespace: string): Promise<string[]> =>
  (await Promise.all(KINDS.map((kind) => foreignOf(site, namespace, kind)))).flat()
