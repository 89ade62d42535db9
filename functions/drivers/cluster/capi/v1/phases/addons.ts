import { createHash } from 'node:crypto'
import * as z from 'zod'
import { isAppError } from '../../../../../core/values/app-error.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { NotKubernetes } from '../../../../../kubernetes/errors.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import { pagesOf, shaped } from '../../../../support/pages.ts'
import { Pending } from '../../../../support/step.ts'
import { ensureOf } from '../management/owned.ts'
import { getServed, type ManagementSite } from '../management/snapshot.ts'
import { ownObject, planOf } from '../management/wanted.ts'
import { AddonMissing } from '../model/errors.ts'
import {
  addonMissing,
  addonObjects,
  addonsName,
  CLOUD_CONFIG,
  cloudConfigFiles,
  cloudConfigSecret,
  clusterResourceSets,
  desiredAddons,
  type FoundAddon,
} from '../render/addons.ts'
import type { RenderPlan } from '../render/plan.ts'
import { inCluster } from '../status/access.ts'
import { managementPhase } from './phase.ts'
import { cloudCredentialOf } from './secrets.ts'

/** The operator's Secrets that a cluster's addons come from. Those that it can do without are left out. @throws AddonMissing */
export const findAddons = async (site: ManagementSite, plan: RenderPlan): Promise<FoundAddon[]> => {
  const { client, options, where } = site
  const namespace = options.addons_namespace ?? ''
  const found: FoundAddon[] = []
  for (const desired of desiredAddons(plan, options)) {
    const secret = await client.get(secrets(namespace), desired.secret)
    if (secret !== undefined) found.push({ desired, secret })
    else if (desired.isRequired) throw new AddonMissing(addonMissing(desired, namespace, where))
  }
  return found
}

/** Where an object that brings addons is written. */
const addonResource = ({ kind }: KubernetesObject, namespace: string): Resource =>
  kind === 'Secret' ? secrets(namespace) : clusterResourceSets(namespace)

/**
 * A rotation changes the credential only: manifests that the operator has changed meanwhile come with an upgrade, and one that he has taken away keeps nobody
 * from a new credential. A cluster that was made before the namespace of addons was named gets all of them.
 */
const objectsFor = async (
  context: ClusterContext,
  site: ManagementSite,
  plan: RenderPlan,
): Promise<KubernetesObject[]> => {
  const credential = await cloudCredentialOf(context)
  const isRotation = context.task?.kind === 'rotate-credential'
  const isThere =
    isRotation && (await getServed(site, clusterResourceSets(site.names.namespace), addonsName(plan))) !== undefined
  return isThere ? [cloudConfigSecret(plan, credential)] : addonObjects(plan, await findAddons(site, plan), credential)
}

/**
 * What Cluster API brings into the cluster once it answers: the manifests that the operator keeps, and the cloud's configuration with the credential.
 * Without a namespace of addons the operator does that by other means.
 */
export const addons = managementPhase({ id: 'addons', title: 'hand over addons' }, async (context, site) => {
  if (site.infrastructure !== 'openstack' || site.options.addons_namespace === undefined) return {}
  const { nodeGroups, task } = context
  const plan = await planOf(context, site, { nodeGroups, task }, await ownObject(context, site))
  for (const object of await objectsFor(context, site, plan)) {
    await ensureOf(site, context.cluster, addonResource(object, site.names.namespace), object)
  }
  return {}
})

/** Seconds for Cluster API to hand the Secret over, and for some calls. */
const RESTART_SECONDS = 400

/** Annotation of pods that read the cloud's configuration: which one they have. Another value makes new pods. */
const CONFIG_HASH = 'fedplane.io/cloud-config'

const KINDS = ['daemonsets', 'deployments', 'statefulsets']

const Volume = z.object({
  secret: z.object({ secretName: z.string().optional() }).optional(),
  projected: z
    .object({
      sources: z.array(z.object({ secret: z.object({ name: z.string().optional() }).optional() })).default([]),
    })
    .optional(),
})

/** The part of a workload that says what its pods are. */
const Workload = z.object({
  spec: z.object({
    template: z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }).prefault({}),
      spec: z.object({ volumes: z.array(Volume).default([]) }).prefault({}),
    }),
  }),
})
type Workload = z.infer<typeof Workload>

const hashOf = (files: Readonly<Record<string, string>>): string =>
  createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16)

const readsConfig = ({ spec: { template } }: z.infer<typeof Workload>): boolean =>
  template.spec.volumes.some(({ secret, projected }) =>
    [secret?.secretName, ...(projected?.sources ?? []).map((source) => source.secret?.name)].includes(
      CLOUD_CONFIG.name,
    ),
  )

const isHandedOver = (found: KubernetesObject | undefined, files: Readonly<Record<string, string>>): boolean => {
  const data = (found?.data ?? {}) as Readonly<Record<string, string>>
  return Object.entries(files).every(([file, text]) => data[file] === Buffer.from(text).toString('base64'))
}

const isToRestart = (workload: Workload, hash: string): boolean =>
  readsConfig(workload) && workload.spec.template.metadata.annotations[CONFIG_HASH] !== hash

/** @throws NotKubernetes for what no API server of Kubernetes gives: the cluster is its user's */
const workloadOf = (object: KubernetesObject): Workload => {
  const read = shaped(Workload, object)
  if (read.fault === undefined) return read.data
  throw new NotKubernetes(
    `The cluster's API tells of a ${object.kind} what no Kubernetes API server says (${read.fault}).`,
  )
}

/** New pods for those of another configuration. Not waited for: the old credential is good until the last phase, and pods come one after the other. */
const restart = async (client: KubernetesClient, resource: Resource, hash: string): Promise<void> => {
  const template = { metadata: { annotations: { [CONFIG_HASH]: hash } } }
  for await (const page of pagesOf(client, resource)) {
    for (const object of page.filter((one) => isToRestart(workloadOf(one), hash))) {
      await client.patch(resource, object.metadata.name, { spec: { template } })
    }
  }
}

/** @throws Pending until the cluster has what is to be read; a cluster that never was complete may have nothing that reads it */
const restartAll = async (
  client: KubernetesClient,
  files: Readonly<Record<string, string>>,
  isComplete: boolean,
): Promise<void> => {
  const { namespace, name } = CLOUD_CONFIG
  const found = await client.get(secrets(namespace), name)
  if (found === undefined && !isComplete) return
  if (!isHandedOver(found, files)) {
    throw new Pending(`Cluster API to hand Secret ${namespace}/${name} over to the cluster`)
  }
  for (const plural of KINDS) await restart(client, { group: 'apps', version: 'v1', plural, namespace }, hashOf(files))
}

/** A cluster that does not come up may be one that a new credential shall help: it need not answer. */
const restartIn = async (context: ClusterContext, files: Readonly<Record<string, string>>): Promise<void> => {
  const isComplete = context.cluster.identity !== null
  try {
    await inCluster(context, (client) => restartAll(client, files, isComplete))
  } catch (error) {
    if (isComplete || !isAppError(error)) throw error
  }
}

/**
 * Whatever talks to the cloud reads its credential when it starts and never again (cloud-provider-openstack, issues 2284 and 2629), and the former one is
 * revoked after this: without new pods there would be no load balancer and no volume any more.
 */
export const restartAddons = managementPhase(
  { id: 'restart-addons', title: 'let addons read the new credential', deadlineSeconds: RESTART_SECONDS },
  async (context, site) => {
    if (site.infrastructure !== 'openstack' || site.options.addons_namespace === undefined) return {}
    const { nodeGroups, task } = context
    const plan = await planOf(context, site, { nodeGroups, task }, await ownObject(context, site))
    await restartIn(context, cloudConfigFiles(plan, await cloudCredentialOf(context)))
    return {}
  },
)
