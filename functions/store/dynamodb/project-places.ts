import type { Operation } from '../../core/operation/operation.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { LIMIT_RESOURCES, type ProjectLimits } from '../../core/values/quota.ts'
import { ProjectLimitReached } from '../errors.ts'
import type { Commit, Write } from '../write.ts'
import { actionsOf, type Place, type PlaceKind } from './action.ts'
import { countedPlaces, type PlaceCounter } from './counted-places.ts'
import {
  GRANT_PREFIX,
  MEMBERSHIP_PREFIX,
  namesPrefix,
  projectPartition,
  projectUsageKey,
  TEMPLATE_PREFIX,
  TRIGGER_PREFIX,
} from './keys.ts'
import { readQuota } from './quota-store.ts'
import { countPrefix, queryPrefix } from './read.ts'
import type { StoreContext } from './request.ts'

/** Kinds that are the remedy for a project with too much in progress. */
const NEVER_REFUSED: readonly string[] = ['delete', 'unjoin']

type Running = Pick<Operation, 'kind'> | null

/** How the number of operations in progress changes with one entity's; none while it stays. */
export const operationPlaces = (projectId: string, before: Running, after: Running): Place[] => {
  if ((before === null) === (after === null)) return []
  const always = after !== null && NEVER_REFUSED.includes(after.kind)
  return [{ of: 'operations', projectId, by: after === null ? -1 : 1, ...(always ? { always } : {}) }]
}

const ENTITY_PREFIXES = ['CLUSTER#', 'FEDERATION#', MEMBERSHIP_PREFIX]

const countOperations = async (context: StoreContext, pk: string): Promise<number> => {
  let running = 0
  for (const prefix of ENTITY_PREFIXES) {
    for await (const { operation } of queryPrefix(context, { pk, prefix })) {
      if (typeof operation === 'object' && operation !== null) running += 1
    }
  }
  return running
}

const RECOUNT: Readonly<Record<PlaceKind, (context: StoreContext, pk: string) => Promise<number>>> = {
  federations: (context, pk) => countPrefix(context, { pk, prefix: namesPrefix('FEDERATION') }),
  // A template need not have a name.
  templates: (context, pk) => countPrefix(context, { pk, prefix: TEMPLATE_PREFIX }),
  operations: countOperations,
  grants: (context, pk) => countPrefix(context, { pk, prefix: GRANT_PREFIX }),
  members: (context, pk) => countPrefix(context, { pk, prefix: MEMBERSHIP_PREFIX }),
  triggers: (context, pk) => countPrefix(context, { pk, prefix: TRIGGER_PREFIX }),
}

const HOW: Readonly<Record<PlaceKind, string>> = {
  federations: 'Delete one',
  members: 'Unjoin one',
  templates: 'Delete one',
  operations: 'Wait until some of them have ended, or delete what hangs; deletes and unjoins are taken at any time',
  grants: 'Delete one',
  triggers: 'Delete one',
}

const NOUN: Readonly<Record<PlaceKind, string>> = {
  federations: 'federations',
  templates: 'cluster templates',
  operations: 'operations in progress',
  grants: 'grants of clusters',
  members: 'members of federations',
  triggers: 'triggers',
}

const limitReached = ({ projectId, of, by }: Sum, used: number, limit: number): ProjectLimitReached =>
  new ProjectLimitReached(
    `Project ${projectId} has ${used} ${NOUN[of]}, this request adds ${by}, and the limit is ${limit}. ${used === 0 ? 'Ask' : `${HOW[of]}, or ask`} an administrator for a quota of ${LIMIT_RESOURCES[of]} (POST /v1/quotas, or PATCH /v1/quotas/${projectId}/${LIMIT_RESOURCES[of]}).`,
    { details: { projectId, kind: of, used, limit } },
  )

/** How one count of one project changes. `always`: nothing in it may be refused. */
type Sum = Pick<Place, 'of' | 'projectId'> & { by: number; always: boolean }

const sumsOf = (writes: readonly Write[]): Sum[] => {
  const sums = new Map<string, Sum>()
  for (const place of writes.flatMap(actionsOf).flatMap(({ places = [] }) => places)) {
    const key = `${place.of} ${place.projectId}`
    const { by, always } = sums.get(key) ?? { by: 0, always: true }
    const isFree = place.by < 0 || place.always === true
    sums.set(key, { of: place.of, projectId: place.projectId, by: by + place.by, always: always && isFree })
  }
  return [...sums.values()]
}

/**
 * Counts what a commit makes and ends before and after it: places are taken first, so that no more are let through than the limits allow, and given
 * back when the commit is refused. After a failure whose outcome is unknown they stay taken until the counter is counted anew.
 */
export const countingCommit = (context: StoreContext, commit: Commit): Commit => {
  const places = countedPlaces(context, commit)
  const counterOf = ({ projectId, of }: Sum): PlaceCounter => ({
    key: projectUsageKey(projectId, of),
    attribute: 'used',
    recount: () => RECOUNT[of](context, projectPartition(projectId)),
  })
  const take = async (sum: Sum, limits: ProjectLimits | undefined): Promise<void> => {
    if (limits === undefined || sum.always) return places.count(counterOf(sum), sum.by)
    const quota = await readQuota(context, { projectId: sum.projectId, resource: LIMIT_RESOURCES[sum.of] })
    const limit = quota?.hardLimit ?? limits[sum.of]
    const answer = await places.take(counterOf(sum), sum.by, limit)
    if (answer !== 'taken') throw limitReached(sum, answer.used, limit)
  }
  const giveBack = (sums: readonly Sum[]) =>
    Promise.all(sums.map((sum) => places.free(counterOf(sum), Math.abs(sum.by))))

  return async (writes, limits) => {
    const sums = sumsOf(writes)
    const taken: Sum[] = []
    try {
      for (const sum of sums.filter(({ by }) => by > 0)) {
        await take(sum, limits)
        taken.push(sum)
      }
      await commit(writes)
    } catch (error) {
      if (isAppError(error)) await giveBack(taken)
      throw error
    }
    await giveBack(sums.filter(({ by }) => by < 0))
  }
}
