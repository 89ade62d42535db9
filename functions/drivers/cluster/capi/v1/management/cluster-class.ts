import { setTimeout } from 'node:timers/promises'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import { covers } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import { ClassNotReady, ManagementObjectChanged } from '../model/errors.ts'
import { type ClassObject, CONTENT_HASH, managementObjects } from '../render/class-objects.ts'
import { Conditioned, readAs } from './objects.schema.ts'
import { ensureClassNamespace, makeNew, titled } from './owned.ts'
import type { ManagementSite } from './snapshot.ts'

/** Its variables are known to Cluster API: before that it lets anything pass. */
const isReady = ({ where }: ManagementSite, object: KubernetesObject): boolean => {
  const { metadata, status } = readAs(where, Conditioned, object)
  const known = status.conditions.some(({ type, status: value }) => type === 'VariablesReady' && value === 'True')
  return known && status.observedGeneration >= metadata.generation
}

/**
 * Somebody edited it: what is written once has its first generation for ever. Only then is the content compared, since other versions of Cluster API
 * default other fields.
 */
const isEdited = ({ where }: ManagementSite, existing: KubernetesObject, { spec }: KubernetesObject): boolean =>
  readAs(where, Conditioned, existing).metadata.generation > 1 && !covers(existing.spec, spec)

/** What makes it another one than ours, to complete a sentence; undefined when nothing does. */
const differenceOf = (
  site: ManagementSite,
  existing: KubernetesObject,
  wanted: KubernetesObject,
): string | undefined => {
  const [is, shall] = [existing, wanted].map(({ metadata }) => metadata.annotations?.[CONTENT_HASH])
  if (is !== shall) return `${CONTENT_HASH} is ${is ?? 'absent'}, not ${shall}`
  return isEdited(site, existing, wanted) ? 'its spec was edited' : undefined
}

/** @throws ManagementObjectChanged for one of our names with another content */
const requireUnchanged = (site: ManagementSite, existing: KubernetesObject, wanted: KubernetesObject): void => {
  const difference = differenceOf(site, existing, wanted)
  if (difference === undefined) return
  throw new ManagementObjectChanged(
    `${titled(existing)} in management cluster ${site.where} is not what this version of fedplane makes under that name: ${difference}. ` +
      'Objects of a class are never changed: undo that, delete it if no cluster uses it, or install the version of fedplane that made it.',
  )
}

/** What there is of one of them. @throws ManagementObjectChanged */
const found = async (site: ManagementSite, made: ClassObject): Promise<KubernetesObject | undefined> => {
  const existing = await site.client.get(made.resource, made.object.metadata.name)
  if (existing !== undefined) requireUnchanged(site, existing, made.object)
  return existing
}

/**
 * Makes the class of this version, and its templates, where they are not there. Never changes one: that would replace the machines of every cluster that
 * was made from it.
 *
 * @throws Pending until Cluster API knows it; ForeignObject, ManagementObjectChanged
 */
export const ensureClass = async (site: ManagementSite): Promise<void> => {
  await ensureClassNamespace(site)
  let last: KubernetesObject | undefined
  for (const made of managementObjects(site.infrastructure, site.classNamespace)) {
    last = await found(site, made)
    if (last === undefined) await makeNew(site.client, made.resource, made.object)
  }
  if (last === undefined || !isReady(site, last)) throw new Pending('Cluster API to know the cluster class')
}

/** True when the class is there as it shall be, and known to Cluster API, which it is not before its templates are there. One call. */
const isClassKnown = async (site: ManagementSite): Promise<boolean> => {
  const last = managementObjects(site.infrastructure, site.classNamespace).at(-1)
  const existing = last && (await found(site, last))
  return existing !== undefined && isReady(site, existing)
}

/** How long a request waits for Cluster API to know a class that was just made, and how often it looks. Mostly it takes less than a second. Milliseconds. */
const TIMEOUT_MS = 10_000
const POLL_MS = 200

/**
 * The same within one call, for a request that somebody waits for.
 *
 * @throws ClassNotReady when Cluster API does not know it in time; ForeignObject, ManagementObjectChanged
 */
export const awaitClass = async ({ now }: Pick<ClusterContext, 'now'>, site: ManagementSite): Promise<void> => {
  if (await isClassKnown(site)) return
  const until = Date.parse(now()) + TIMEOUT_MS
  for (;;) {
    try {
      await ensureClass(site)
      return
    } catch (error) {
      if (!(error instanceof Pending)) throw error
      if (Date.parse(now()) >= until) {
        throw new ClassNotReady(
          `The management cluster ${site.where} can't be asked yet: ${TIMEOUT_MS / 1000} s were not enough for ${error.message}. ` +
            `Try again in a minute; if that stays so, check the ClusterClass in namespace ${site.classNamespace}, and whether Cluster API's core manager runs and watches all namespaces.`,
          { cause: error },
        )
      }
      await setTimeout(POLL_MS)
    }
  }
}
