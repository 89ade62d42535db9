import type { KubernetesObject } from '../../../../kubernetes/client.ts'
import { namespaces } from '../../../../kubernetes/resources.ts'
import type { ClusterContext } from '../../../contract/cluster-driver.ts'
import { ChangeRefused } from '../../../contract/errors.ts'
import { NotYet } from '../../../support/step.ts'
import { AddonMissing } from './errors.ts'
import { findAddons } from './management/addons.ts'
import { tryOut } from './management/refusal.ts'
import { clusters } from './management/resources.ts'
import { type ManagementSite, managementSite } from './management/site.ts'
import { ownObject, planOf } from './management/wanted.ts'
import { wishOf } from './phases/update.ts'
import { managementObjects } from './render/class-objects.ts'
import { clusterObject } from './render/cluster-object.ts'
import { isNamespaceOf } from './render/namespace.ts'
import type { RenderPlan } from './render/plan.ts'

/** Changes that do not touch the Cluster object. */
const ELSEWHERE: ReadonlySet<string> = new Set(['credential', 'rotate-authority', 'rotate-credential'])

const refuse = ({ where }: ManagementSite, words: string): ChangeRefused =>
  new ChangeRefused(`The management cluster ${where} refuses this. ${words}`)

/** True when the class of this version is there: without it Cluster API can't tell whether a cluster fits. */
const hasClass = async ({ client, names, infrastructure }: ManagementSite): Promise<boolean> => {
  const last = managementObjects(infrastructure, names.namespace).at(-1)
  return last !== undefined && (await client.get(last.resource, last.object.metadata.name)) !== undefined
}

/**
 * True when there is a place to try it out in: before the project's first cluster of this version there is none, and only the flow's own dry run finds
 * what is wrong.
 */
const hasPlace = async (context: ClusterContext, site: ManagementSite): Promise<boolean> => {
  const { cluster, task } = context
  const namespace = await site.client.get(namespaces, site.names.namespace)
  if (namespace === undefined) return false
  if (!isNamespaceOf(namespace, cluster.projectId)) {
    throw refuse(site, `Namespace ${site.names.namespace} is there and was not made by fedplane for this project.`)
  }
  const keepsClass = task !== null && task.kind !== 'upgrade'
  return keepsClass || hasClass(site)
}

/** @throws ChangeRefused for one that is on its way out */
const previousOf = async (context: ClusterContext, site: ManagementSite): Promise<KubernetesObject | undefined> => {
  try {
    return await ownObject(context, site)
  } catch (error) {
    throw error instanceof NotYet ? refuse(site, 'The cluster is being deleted there.') : error
  }
}

/** @throws ChangeRefused when the operator does not keep what the cluster needs */
const demandAddons = async (site: ManagementSite, plan: RenderPlan): Promise<void> => {
  try {
    await findAddons(site, plan)
  } catch (error) {
    throw error instanceof AddonMissing ? new ChangeRefused(error.message, { cause: error }) : error
  }
}

/** Asks Cluster API's admission, in a dry run, what it says to the cluster, or to the change of it. @throws ChangeRefused */
export const preview = async (context: ClusterContext): Promise<void> => {
  const { task, nodeGroups } = context
  if (task !== null && ELSEWHERE.has(task.kind)) return
  const site = await managementSite(context)
  const isPlace = await hasPlace(context, site)
  const previous = isPlace ? await previousOf(context, site) : undefined
  const plan = await planOf(context, site, task === null ? { nodeGroups, task } : wishOf(context), previous)
  await demandAddons(site, plan)
  if (!isPlace) return
  const wanted = clusterObject(plan)
  await tryOut(site.client, clusters(site.names.namespace), wanted, (words) => refuse(site, words))
}
