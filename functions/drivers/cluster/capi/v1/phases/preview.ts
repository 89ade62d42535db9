import { isOlderVersion } from '../../../../../core/values/kubernetes.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import { ChangeRefused, ForeignObject } from '../../../../contract/errors.ts'
import { isTerminating } from '../../../../support/owned.ts'
import { Pending, settleAll } from '../../../../support/step.ts'
import { awaitClass } from '../management/cluster-class.ts'
import { isNamespaceOf } from '../management/owned.ts'
import { type ManagementSite, managementSite, readSnapshot } from '../management/snapshot.ts'
import { ownObject, planOf, tryCreate, tryOut } from '../management/wanted.ts'
import { AddonMissing, ManagementObjectChanged } from '../model/errors.ts'
import { clusters } from '../model/names.ts'
import { templateObjects } from '../render/class-objects.ts'
import { clusterObject } from '../render/cluster-object.ts'
import { specOf } from '../render/topology.ts'
import { findAddons } from './addons.ts'
import { groupFault } from './group-fault.ts'
import { desiredOf, goneWords, groupOf } from './update.ts'

/**
 * Why an upgrade can't be that would take back one that failed: Cluster API goes back to no version once it was informed of it. Undefined for others.
 */
const downgradeOf = (
  { cluster, task }: ClusterContext,
  previous: KubernetesObject | undefined,
  wanted: KubernetesObject,
): string | undefined => {
  if (task?.kind !== 'upgrade' || previous === undefined) return undefined
  const [from, to] = [specOf(previous).topology.version, specOf(wanted).topology.version]
  return isOlderVersion(to, from)
    ? `Cluster ${cluster.name} can't go back to ${to}: its control plane is on its way to ${from} since an upgrade that failed, and Cluster API goes back to no version. Choose a cluster template with the label kube_tag=${from}.`
    : undefined
}

/** Changes that do not touch the Cluster object. */
const ELSEWHERE: ReadonlySet<string> = new Set(['credential', 'rotate-authority', 'rotate-credential'])

/** True for what brings class and addons of today: a create, and an upgrade. Other changes leave both as they are, so that what is wrong with them keeps nobody. */
const bringsAll = ({ task }: ClusterContext): boolean => task === null || task.kind === 'upgrade'

const refuse = ({ where }: ManagementSite, words: string): ChangeRefused =>
  new ChangeRefused(`The management cluster ${where} refuses this. ${words}`)

/** Runs it for a change that brings all; those errors of it are a refusal. @throws ChangeRefused */
const requireAll = async (
  context: ClusterContext,
  kinds: readonly (typeof ForeignObject | typeof ManagementObjectChanged | typeof AddonMissing)[],
  run: () => Promise<unknown>,
): Promise<void> => {
  if (!bringsAll(context)) return
  try {
    await run()
  } catch (error) {
    const isRefusal = error instanceof Error && kinds.some((kind) => error instanceof kind)
    throw isRefusal ? new ChangeRefused(error.message, { cause: error }) : error
  }
}

/**
 * The namespace to try it out in: the project's own. Before the project's first cluster there is none, and a dry run in the namespace of the classes says
 * the same.
 *
 * @throws ChangeRefused when the project's namespace is somebody else's
 */
const placeFor = async ({ cluster }: ClusterContext, site: ManagementSite): Promise<string> => {
  const namespace = await site.client.get(namespaces, site.names.namespace)
  if (namespace === undefined || isTerminating(namespace)) return site.classNamespace
  if (isNamespaceOf(namespace, cluster.projectId)) return site.names.namespace
  throw refuse(site, `Namespace ${site.names.namespace} is there and was not made by fedplane for this project.`)
}

/** The Cluster as it is; undefined before a create. @throws ChangeRefused for one that is on its way out, or is gone */
const previousOf = async (context: ClusterContext, site: ManagementSite): Promise<KubernetesObject | undefined> => {
  try {
    const previous = await ownObject(context, site)
    if (previous === undefined && context.task !== null) throw new ChangeRefused(goneWords(context, site))
    return previous
  } catch (error) {
    throw error instanceof Pending ? refuse(site, 'The cluster is being deleted there.') : error
  }
}

/** @throws ChangeRefused for what admission lets pass and Cluster API would not do to a group */
const requireDoable = async (
  context: ClusterContext,
  site: ManagementSite,
  wanted: KubernetesObject,
): Promise<void> => {
  if (groupOf(context) === undefined || context.task?.kind === 'node-group-delete') return
  const fault = groupFault(context, await readSnapshot(site), wanted)
  if (fault !== undefined) throw new ChangeRefused(fault)
}

/** Asks Cluster API's admission, in dry runs, what it says to the cluster, or to the change of it, and to the machines that come of it. @throws ChangeRefused */
export const preview = async (context: ClusterContext): Promise<void> => {
  const { task, nodeGroups } = context
  if (task !== null && ELSEWHERE.has(task.kind)) return
  const site = await managementSite(context)
  const [place, previous] = [await placeFor(context, site), await previousOf(context, site)]
  const plan = await planOf(context, site, task === null ? { nodeGroups, task } : desiredOf(context), previous)
  await requireAll(context, [AddonMissing], () => findAddons(site, plan))
  // Made when it is not there: Cluster API can't tell without it whether a cluster fits.
  await requireAll(context, [ForeignObject, ManagementObjectChanged], () => awaitClass(context, site))
  const wanted = clusterObject({ ...plan, names: { ...plan.names, namespace: place } })
  await requireDoable(context, site, wanted)
  const downgrade = downgradeOf(context, previous, wanted)
  if (downgrade !== undefined) throw new ChangeRefused(downgrade)
  const refused = (words: string): ChangeRefused => refuse(site, words)
  await tryOut(site.client, clusters(place), wanted, refused)
  await settleAll(
    templateObjects(site.infrastructure, wanted, previous).map(
      ({ resource, object }) =>
        () =>
          tryCreate(site.client, resource, object, refused),
    ),
  )
}
