import type { ClusterTask } from '../../../../../core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { AppError } from '../../../../../core/values/app-error.ts'
import {
  type KubernetesClient,
  type KubernetesObject,
  type Resource,
  wordsOf,
} from '../../../../../kubernetes/client.ts'
import { ObjectInvalid, PermissionDenied } from '../../../../../kubernetes/errors.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import { agrees, covers } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import { clusters } from '../model/names.ts'
import { clusterObject } from '../render/cluster-object.ts'
import type { RenderPlan } from '../render/plan.ts'
import { specOf } from '../render/topology.ts'
import { presentCluster, titled } from './owned.ts'
import type { ManagementSite } from './snapshot.ts'

/** A refusal of the object itself: by its schema (400, 422), or by an admission webhook or policy (also 403). Where rights are missing, the client says something else. */
const isRefusal = (error: unknown): error is AppError =>
  error instanceof ObjectInvalid || error instanceof PermissionDenied

/** Makes the error that a refusal becomes, from the API server's words. */
type Refused = (words: string, cause: AppError) => AppError

const demand = async (call: Promise<unknown>, refused: Refused): Promise<void> => {
  try {
    await call
  } catch (error) {
    throw isRefusal(error) ? refused(wordsOf(error), error) : error
  }
}

/**
 * Asks the API server, with all its admission webhooks, whether it takes the object as we apply it; nothing is stored.
 *
 * @throws what `refused` makes, and errors of reaching the API server
 */
export const tryOut = (
  client: KubernetesClient,
  resource: Resource,
  object: KubernetesObject,
  refused: Refused,
): Promise<void> => demand(client.apply(resource, object, { dryRun: true }), refused)

/** The same of an object that somebody else will make. @throws as `tryOut` */
export const tryCreate = (
  client: KubernetesClient,
  resource: Resource,
  object: KubernetesObject,
  refused: Refused,
): Promise<void> => demand(client.create(resource, object, { dryRun: true }), refused)

/** What the one `Cluster` object is to say. */
export type Desired = {
  nodeGroups: readonly NodeGroup[]
  /** As the render plan takes it. */
  task: ClusterTask | null
}

/** Groups that came to nothing when they were made are not part of the cluster, until a change of theirs makes them so. */
const isPart = (group: NodeGroup, task: ClusterTask | null): boolean =>
  task === null || group.status !== 'CREATE_FAILED' || ('nodeGroupId' in task && task.nodeGroupId === group.id)

/** All that is rendered from. @param previous the `Cluster` as it was just read */
export const planOf = async (
  context: ClusterContext,
  site: ManagementSite,
  { nodeGroups, task }: Desired,
  previous: KubernetesObject | undefined,
): Promise<RenderPlan> => ({
  cluster: context.cluster,
  names: site.names,
  classNamespace: site.classNamespace,
  template: await context.template(),
  nodeGroups: nodeGroups.filter((group) => isPart(group, task)),
  infrastructure: site.infrastructure,
  previous,
  task,
})

/** The object as it shall be. @param previous as it was just read */
export const wantedObject = async (
  context: ClusterContext,
  site: ManagementSite,
  desired: Desired,
  previous: KubernetesObject | undefined,
): Promise<KubernetesObject> => clusterObject(await planOf(context, site, desired, previous))

/** The `Cluster` as it is; undefined when there is none. @throws ForeignObject; Pending for one that is on its way out */
export const ownObject = async (
  { cluster }: ClusterContext,
  site: ManagementSite,
): Promise<KubernetesObject | undefined> => {
  const object = await presentCluster(site, cluster)
  if (object?.metadata.deletionTimestamp !== undefined)
    throw new Pending(`${titled(object)} to be gone before it is made again`)
  return object
}

/** True when the `Cluster` says all that it shall, and in our part no more: a change may only take something out. */
export const isAsWanted = (previous: KubernetesObject, wanted: KubernetesObject): boolean =>
  covers(previous, wanted) && agrees(specOf(previous), wanted.spec)

/**
 * Makes the `Cluster` what it shall be: first in a dry run, so that a refusal leaves everything as it was. No write when it is that already.
 *
 * @throws what `refused` makes of the API server's words
 */
export const applyWanted = async (
  site: ManagementSite,
  wanted: KubernetesObject,
  previous: KubernetesObject | undefined,
  refused: (words: string, cause: AppError) => AppError,
): Promise<void> => {
  if (previous !== undefined && isAsWanted(previous, wanted)) return
  const resource = clusters(site.names.namespace)
  await tryOut(site.client, resource, wanted, refused)
  await site.client.apply(resource, wanted)
}
