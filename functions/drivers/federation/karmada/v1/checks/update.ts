import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { FederationContext, FederationDriver, Finding, Preflight } from '../../../../contract/federation-driver.ts'
import { attempt, errorFinding, warningFinding } from '../../../../support/findings.ts'
import { covers } from '../../../../support/owned.ts'
import { missingClaims } from '../host/etcd.ts'
import { nodeFindings, storageFindings } from '../host/findings.ts'
import { type HostWork, hostWork } from '../host/host-work.ts'
import { etcdImage, karmadaImage, kubeImage, services } from '../host/plan.ts'
import { workloadsByName } from '../host/reasons.ts'
import { SECRET_NAMES } from '../host/secrets.ts'
import { apiServiceManifest } from '../host/services.ts'
import {
  AGGREGATED_API_SERVER,
  API_SERVER,
  CONTROLLER_MANAGER,
  ETCD,
  KUBE_CONTROLLER_MANAGER,
  SCHEDULER,
  stateOf,
  WEBHOOK,
} from '../model/names.ts'
import { IMAGE_PULL_SECRET } from '../model/properties.ts'
import { serverNames } from '../pki/identities.ts'
import { isStale } from '../pki/issue-pki.ts'
import { readEncryption, readPki } from '../pki/pki.schema.ts'

/** What the kubelet takes. */
const TYPES: readonly unknown[] = ['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg']

/** What is wrong with the Secret that property `image-pull-secret` names. One that is missing is only reported: it may be made meanwhile. */
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

const Workload = z.object({
  kind: z.string(),
  spec: z.object({
    replicas: z.number().default(1),
    template: z.object({
      spec: z.object({
        containers: z.array(z.object({ image: z.string() })),
        imagePullSecrets: z.array(z.object({ name: z.string() })).default([]),
      }),
    }),
  }),
})

/** Images by component, as the properties have them. */
const imagesOf = ({ plan: { properties } }: HostWork): Readonly<Record<string, string>> => ({
  [ETCD]: etcdImage(properties),
  [API_SERVER]: kubeImage(properties, 'kube-apiserver'),
  [KUBE_CONTROLLER_MANAGER]: kubeImage(properties, 'kube-controller-manager'),
  ...Object.fromEntries(
    [AGGREGATED_API_SERVER, SCHEDULER, CONTROLLER_MANAGER, WEBHOOK].map((name) => [
      name,
      karmadaImage(properties, name),
    ]),
  ),
})

/** How one workload would differ from what it is; empty when it stays. */
const differencesOf = ({ plan: { properties } }: HostWork, object: KubernetesObject, image: string): string[] => {
  const { replicas, template } = Workload.parse(object).spec
  const secret = template.spec.imagePullSecrets[0]?.name ?? null
  return [
    ...(template.spec.containers[0]?.image === image ? [] : [`image ${image}`]),
    ...(replicas === properties.replicas ? [] : [`${properties.replicas} pods in place of ${replicas}`]),
    ...(secret === properties.imagePullSecret ? [] : [`pull secret ${properties.imagePullSecret ?? 'none'}`]),
  ]
}

const workloadsOf = async (work: HostWork): Promise<string[]> => {
  const { site, namespace } = work
  const found = await workloadsByName(site.client, namespace, site.federationId)
  return Object.entries(imagesOf(work)).flatMap(([name, image]) => {
    const object = found.get(name)
    if (object === undefined) return [`${name} in ${namespace}, which is missing`]
    const differing = differencesOf(work, object, image)
    return differing.length === 0 ? [] : [`${object.kind} ${namespace}/${name}: ${differing.join(', ')}`]
  })
}

const claimsOf = async (work: HostWork): Promise<string[]> => {
  const { plan, namespace } = work
  return (await missingClaims(work)).map(
    ({ metadata }) => `PersistentVolumeClaim ${namespace}/${metadata.name} of ${plan.properties.storageSize}`,
  )
}

const serviceOf = async ({ site, plan, namespace }: HostWork): Promise<string[]> => {
  const there = await site.client.get(services(namespace), API_SERVER)
  return covers(there, apiServiceManifest(plan)) ? [] : [`Service ${namespace}/${API_SERVER}: its annotations`]
}

const certificateOf = async (context: FederationContext, { plan }: HostWork): Promise<string[]> => {
  const [pki, { endpoint, hosts = [] }] = [await readPki(context), stateOf(context.federation)]
  const { properties } = plan
  if (pki === undefined || endpoint === undefined) return []
  const wanted = serverNames({ ...properties, endpoint: properties.apiEndpoint ?? endpoint, hosts }).apiserver ?? []
  const isNew = isStale(pki.leaves.apiserver, { names: wanted, now: new Date(context.now()) })
  return isNew ? [`a new certificate of ${API_SERVER}, and with it new pods`] : []
}

/** A control plane of before comes to encrypting its Secrets by any update. */
const encryptionOf = async (context: FederationContext): Promise<string[]> => {
  const [pki, encryption] = await Promise.all([readPki(context), readEncryption(context)])
  return pki === undefined || encryption?.stage === 'complete'
    ? []
    : [`Secrets encrypted in etcd, and with it new pods of ${API_SERVER}, twice`]
}

/** What changed properties would make or replace in the host, in words. */
const wouldChange = async (context: FederationContext): Promise<string[]> => {
  const work = await hostWork(context)
  const parts = await Promise.all([
    claimsOf(work),
    serviceOf(work),
    workloadsOf(work),
    certificateOf(context, work),
    encryptionOf(context),
  ])
  return parts.flat()
}

/** Volumes and nodes for more members. */
const growthFindings = async (work: HostWork): Promise<Finding[]> => {
  if ((await missingClaims(work)).length === 0) return []
  const { properties } = work.plan
  return [
    ...(await storageFindings(work.site.client, properties)),
    ...(await nodeFindings(work.site.client, properties)),
  ]
}

/** What the host has against the new properties. @throws what its API server answers instead */
export const hostFindings = async (context: FederationContext): Promise<Finding[]> => {
  const work = await hostWork(context)
  return [...(await growthFindings(work)), ...(await pullSecretFindings(work))]
}

/** What the dry run shows; where the host can't be asked it has a finding, and no list. */
const inHost = async (context: FederationContext): Promise<Preflight> => {
  let wouldMake: string[] = []
  const findings = await attempt(async () => {
    const [found, changes] = await Promise.all([hostFindings(context), wouldChange(context)])
    wouldMake = changes
    return found
  })
  return { findings, wouldMake }
}

/** Preflight of changed properties. No member can refuse any. */
export const checkUpdate: NonNullable<FederationDriver['checkUpdate']> = {
  host: inHost,
  member: async () => ({ findings: [], wouldMake: [] }),
}
