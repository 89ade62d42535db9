import * as z from 'zod'
import { STATUSES } from '../../core/values/status.ts'
import { RevisionConflict } from '../errors.ts'
import type { SelectorPointer, SelectorStore, SelectorWork } from '../selector.store.ts'
import { type Action, asWrite } from './action.ts'
import { presentOnly, selectorPartition, selectorWorkIndexAttributes } from './index-attributes.ts'
import { parseItem, schemaVersion, text, textOrNull } from './item.schema.ts'
import {
  projectOfPartition,
  projectPartition,
  SELECTOR_PREFIX,
  selectorKey,
  selectorWorkKey,
  selectorWorkPrefix,
} from './keys.ts'
import { getItem, type Item, queryPrefix, toArray } from './read.ts'
import type { StoreContext } from './request.ts'
import { dueEntries } from './work-store.ts'

/** Which clusters are wanted, as federations keep it, too. */
export const clusterSelector = z.object({
  labels: text.exactOptional(),
  driver: text.exactOptional(),
  healthStatus: z.enum(['HEALTHY', 'UNHEALTHY', 'UNKNOWN']).exactOptional(),
  status: z.enum(STATUSES).exactOptional(),
  version: text.exactOptional(),
})

export const SELECTOR_SCHEMA_VERSION = 1

export const selectorItem = z
  .object({ schemaVersion: schemaVersion(SELECTOR_SCHEMA_VERSION), projectId: text, id: text, wanted: clusterSelector })
  .transform(({ schemaVersion: _, ...pointer }) => pointer)

export const SELECTOR_WORK_SCHEMA_VERSION = 1

export const selectorWorkItem = z
  .object({
    schemaVersion: schemaVersion(SELECTOR_WORK_SCHEMA_VERSION),
    projectId: text,
    federationId: text,
    clusterId: textOrNull,
    noted: text,
    marker: textOrNull,
    since: text,
  })
  .transform(({ schemaVersion: _, ...work }) => work)

const parse = (item: Item): SelectorPointer => parseItem(selectorItem, item)

/** Of writes that have no condition, or are left out where it does not hold. */
const onConflict = () => new RevisionConflict('unreachable: nothing is demanded')

const addWork = (work: SelectorWork) =>
  asWrite({
    type: 'put',
    item: {
      ...selectorWorkKey(work),
      schemaVersion: SELECTOR_WORK_SCHEMA_VERSION,
      ...work,
      ...presentOnly(selectorWorkIndexAttributes(work)),
    },
    onConflict,
  })

/** Nothing later was noted for the same. */
const asNoted = ({ noted }: SelectorWork) =>
  ({ condition: '#noted = :noted', values: { ':noted': noted }, optional: true, onConflict }) as const

const moveWork = (work: SelectorWork, marker: string) => {
  const { condition, values, ...rest } = asNoted(work)
  const update = 'SET #marker = :marker'
  return asWrite({
    type: 'update',
    key: selectorWorkKey(work),
    update,
    condition,
    ...rest,
    values: { ...values, ':marker': marker },
  })
}

const removeWork = (work: SelectorWork) => asWrite({ type: 'delete', key: selectorWorkKey(work), ...asNoted(work) })

/** Goes with the federation, too. */
export const removeSelector = (federation: { projectId: string; id: string }): Action => ({
  type: 'delete',
  key: selectorKey(federation),
  onConflict,
})

async function* due(context: StoreContext, now: string) {
  for await (const { pk, sk } of dueEntries(context, selectorPartition, now)) {
    yield { projectId: projectOfPartition(String(pk)), id: String(sk).split('#')[1] ?? '' }
  }
}

/** Selectors in DynamoDB. */
export const dynamoSelectorStore = (context: StoreContext): SelectorStore => ({
  listOf: async (projectId) =>
    (await toArray(queryPrefix(context, { pk: projectPartition(projectId), prefix: SELECTOR_PREFIX }))).map(parse),
  get: async (federation) => {
    const item = await getItem(context, selectorKey(federation))
    return item === undefined ? undefined : parse(item)
  },
  put: (pointer) =>
    asWrite({
      type: 'put',
      item: { ...selectorKey(pointer), schemaVersion: SELECTOR_SCHEMA_VERSION, ...pointer },
      onConflict,
    }),
  remove: (federation) => asWrite(removeSelector(federation)),
  workOf: async ({ projectId, id }) => {
    const prefix = selectorWorkPrefix(id)
    const items = await toArray(queryPrefix(context, { pk: projectPartition(projectId), prefix }))
    return items.map((item) => parseItem(selectorWorkItem, item))
  },
  addWork,
  moveWork,
  removeWork,
  due: (now) => due(context, now),
})
