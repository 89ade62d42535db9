import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { covers } from '../../../../support/covers.ts'
import { federationSelector, listAll } from '../../../../support/owned.ts'
import {
  AGGREGATED_API_SERVER,
  API_SERVER,
  CONTROLLER_MANAGER,
  ETCD,
  KUBE_CONTROLLER_MANAGER,
  SCHEDULER,
  WEBHOOK,
} from '../names.ts'
import { isStale } from '../pki/lifetimes.ts'
import { readEncryption, readPki } from '../pki/read-pki.ts'
import { serverNames } from '../pki/server-names.ts'
import { stateOf } from '../state.ts'
import { claimManifests } from './etcd.ts'
import { type HostWork, hostWork } from './host-work.ts'
import { etcdImage, karmadaImage, kubeImage } from './images.ts'
import { deployments, services, statefulSets, volumeClaims } from './resources.ts'
import { apiServiceManifest } from './services.ts'

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
  const selector = federationSelector(site.federationId)
  const lists = await Promise.all(
    [deployments(namespace), statefulSets(namespace)].map((resource) => listAll(site.client, resource, selector)),
  )
  const found = new Map(lists.flat().map((object) => [object.metadata.name, object]))
  return Object.entries(imagesOf(work)).flatMap(([name, image]) => {
    const object = found.get(name)
    if (object === undefined) return [`${name} in ${namespace}, which is missing`]
    const differing = differencesOf(work, object, image)
    return differing.length === 0 ? [] : [`${object.kind} ${namespace}/${name}: ${differing.join(', ')}`]
  })
}

const claimsOf = async ({ site, plan, namespace }: HostWork): Promise<string[]> => {
  const there = (await listAll(site.client, volumeClaims(namespace))).map(({ metadata }) => metadata.name)
  return claimManifests(plan)
    .filter(({ metadata }) => !there.includes(metadata.name))
    .map(({ metadata }) => `PersistentVolumeClaim ${namespace}/${metadata.name} of ${plan.properties.storageSize}`)
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
export const wouldChange = async (context: FederationContext): Promise<string[]> => {
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
