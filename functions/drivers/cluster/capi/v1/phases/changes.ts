import { createHash } from 'node:crypto'
import * as z from 'zod'
import { isAppError } from '../../../../../core/values/app-error.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { NotKubernetes } from '../../../../../kubernetes/errors.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { ClusterContext, ClusterDriver, ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { ChangeImpossible } from '../../../../contract/errors.ts'
import { pagesOf } from '../../../../support/pages.ts'
import { shaped } from '../../../../support/shaped.ts'
import { Pending, step } from '../../../../support/step.ts'
import { managementSite } from '../management/site.ts'
import { readSnapshot } from '../management/snapshot.ts'
import { ownObject, planOf, wantedObject } from '../management/wanted.ts'
import { changeState, removalState, storedChange } from '../model/state.schema.ts'
import { CLOUD_CONFIG, cloudConfigFiles } from '../render/addons.ts'
import { inCluster } from '../status/access.ts'
import { addons } from './addons.ts'
import { cloudCredentialPhase, clusterClassPhase } from './create.ts'
import { changesNothing, groupFault, resizeFault } from './group-fault.ts'
import { decideRemoval, removalOf, titleOf } from './removal.ts'
import { cloudCredentialOf, keptSecrets } from './secrets.ts'
import { desiredOf, groupOf, groupPhases, wholePhases } from './update.ts'

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
const restartAddons: ClusterPhase = {
  id: 'restart-addons',
  title: 'let addons read the new credential',
  deadlineSeconds: RESTART_SECONDS,
  ensure: (context) =>
    step(async () => {
      const site = await managementSite(context)
      if (site.infrastructure !== 'openstack' || site.options.addons_namespace === undefined) return {}
      const { nodeGroups, task } = context
      const plan = await planOf(context, site, { nodeGroups, task }, await ownObject(context, site))
      await restartIn(context, cloudConfigFiles(plan, await cloudCredentialOf(context)))
      return {}
    }),
}

/** Seconds for a few calls, and for an outage of the management cluster among them: an upgrade of it, for example. */
const COMPARE_SECONDS = 900

/** Sees whether anything changes: stored before it does, since a second look would see none. */
const compare: ClusterPhase = {
  id: 'compare',
  title: 'see what changes',
  deadlineSeconds: COMPARE_SECONDS,
  ensure: async (context) => {
    const of = titleOf(context)
    if (context.task?.kind === 'node-group-delete' || storedChange(context.cluster, of) !== undefined)
      return { done: true }
    const site = await managementSite(context)
    const snapshot = await readSnapshot(site)
    if (snapshot.object === undefined) return { done: true }
    const wanted = await wantedObject(context, site, desiredOf(context), snapshot.object)
    const fault = groupFault(context, snapshot, wanted)
    if (fault !== undefined) throw new ChangeImpossible(fault)
    return { done: true, state: changeState({ of, isNoOp: changesNothing(context, snapshot, wanted) }) }
  },
}

/** Seconds for a few calls, and for an outage of the management cluster among them: an upgrade of it, for example. */
const CHOOSE_SECONDS = 900

/** Decides which nodes go, by those that there are: stored before anything is done, since a second look would see others. */
const choose: ClusterPhase = {
  id: 'choose',
  title: 'choose the nodes that go',
  deadlineSeconds: CHOOSE_SECONDS,
  ensure: async (context) => {
    const group = groupOf(context)
    if (group === undefined || removalOf(context) !== undefined) return { done: true }
    const snapshot = await readSnapshot(await managementSite(context))
    const fault = resizeFault(context, snapshot, group)
    if (fault !== undefined) throw new ChangeImpossible(fault)
    return { done: true, state: removalState(decideRemoval(context, snapshot, group)) }
  },
}

const groupPlan = [keptSecrets, compare, ...groupPhases]

/** The plans of the changes that the driver knows. The authorities of a running cluster can't be changed: Cluster API has no way for that. */
export const updatePhases: ClusterDriver['phases']['update'] = {
  resize: [keptSecrets, choose, ...groupPhases],
  'node-group-create': groupPlan,
  'node-group-update': groupPlan,
  'node-group-delete': groupPlan,
  // Only an upgrade takes a cluster to the class of this version of fedplane.
  upgrade: [keptSecrets, clusterClassPhase, addons, ...wholePhases],
  'rotate-credential': [
    ...[cloudCredentialPhase, addons].map((phase) => ({ ...phase, undo: phase.ensure })),
    restartAddons,
  ],
}
