import type { Federation } from '../../../functions/core/federation/federation.ts'
import type { ExecutionRef, Flow } from '../../../functions/core/operation/operation.ts'
import type { ExecutionState } from '../../../functions/core/ports.ts'
import { until } from '../local/engine-lab.ts'
import { key } from './actions.ts'
import type { FlowLab } from './flow-lab.ts'

/** Waits for the end of an execution and tells how it ended. */
export const ended = (lab: FlowLab, ref: ExecutionRef): Promise<ExecutionState> =>
  until(async () => {
    const state = await lab.engine.describe(ref)
    return state !== 'running' && state !== 'not-found' && state
  })

export const federationOf = async (lab: FlowLab, id: string): Promise<Federation> => {
  const federation = await lab.ports.stores.federations.get(key(id))
  if (federation === undefined) throw new Error(`no federation ${id}`)
  return federation
}

/** Waits until a federation is in no progress, or is gone. Reads the database only when an execution has ended since. */
export const settled = async (lab: FlowLab, id: string): Promise<Federation | 'gone'> => {
  const endsSoFar = async () => (await lab.engine.list()).filter(({ status }) => status !== 'RUNNING').length
  let ends = -1
  return until(async () => {
    const now = await endsSoFar()
    if (now === ends) return false
    ends = now
    const federation = await lab.ports.stores.federations.get(key(id))
    if (federation === undefined) return 'gone' as const
    return !federation.status.endsWith('_IN_PROGRESS') && federation
  })
}

export const clusterOf = async (lab: FlowLab, id: string) => lab.ports.stores.clusters.get(key(id))

/** `action outcome reason` of an entity's history, oldest first. */
export const history = async (lab: FlowLab, kind: 'cluster' | 'federation', id: string): Promise<string[]> => {
  const { items } = await lab.ports.stores.events.listOf('blue', { kind, id }, { limit: 500 })
  return items.map(({ action, outcome, reason }) => `${action} ${outcome} ${reason}`)
}

/** Messages of an entity's history, oldest first. */
export const messages = async (lab: FlowLab, kind: 'cluster' | 'federation', id: string): Promise<string[]> => {
  const { items } = await lab.ports.stores.events.listOf('blue', { kind, id }, { limit: 500 })
  return items.map(({ message }) => message)
}

/** The latest execution of a flow on an entity, over or not: what it runs for may be gone from the entity by now. */
export const latestOf = async (lab: FlowLab, flow: Flow, entityId: string): Promise<ExecutionRef> => {
  const all = (await lab.engine.list()).filter((it) => it.flow === flow && JSON.parse(it.input).entityId === entityId)
  const latest = all.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt)).at(-1)
  if (latest === undefined) throw new Error(`${flow} never ran on ${entityId}`)
  return { flow, name: latest.name }
}
