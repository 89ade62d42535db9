import type { Write } from '../../store/write.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { type CreateRules, createPlanned, type PlannedCreate } from '../cluster/create-cluster.ts'
import { deletionWithUse } from '../cluster/delete-cluster.ts'
import { InvalidRequest } from '../errors.ts'
import { DEADLINE_SECONDS, hostDeadlineSeconds, MEMBERS_BESIDE_HOST_MAX } from '../operation/deadlines.ts'
import { launch } from '../operation/launch.ts'
import type { Ports } from '../ports.ts'
import { quote } from '../values/wording.ts'
import type { Federation } from './federation.ts'

/** A host cluster that comes into being with its federation (decision 0037). Its own flow creates it, and deletes it. */

/** The host as a request describes it. */
export type NewHost = {
  planned: PlannedCreate
  rules: CreateRules
  /** True: it stays when the federation goes. */
  keep: boolean
}

/** Seconds for the host, and for the federation on it. */
export const deadlineWithHost = ({ planned }: NewHost): number =>
  hostDeadlineSeconds(planned.cluster.magnum.createTimeout) + DEADLINE_SECONDS['federation-create']

/** Seconds of those that the host has: the federation's operation carries the sum. */
export const secondsForHost = ({ startedAt, deadline }: { startedAt: string; deadline: string }): number =>
  (Date.parse(deadline) - Date.parse(startedAt)) / 1000 - DEADLINE_SECONDS['federation-create']

/** One transaction has room for so many beside the host. @throws InvalidRequest */
export const requireMembersFitBesideHost = (count: number): void => {
  if (count <= MEMBERS_BESIDE_HOST_MAX) return
  throw new InvalidRequest(
    `The request would create the host and join ${count} members; at most ${MEMBERS_BESIDE_HOST_MAX} can join with a new host. Join the others later.`,
  )
}

/** Stores host and federation in one transaction, and begins to create the host. @throws what `createPlanned` does */
export const createWithHost = (
  ports: Ports,
  { planned, rules }: NewHost,
  federation: Federation,
  writes: readonly Write[],
): Promise<void> => {
  const cluster: Cluster = { ...planned.cluster, uses: [`host:${federation.id}`] }
  return createPlanned(ports, { ...planned, cluster }, rules, writes)
}

type ReleasePorts = Pick<Ports, 'stores' | 'clock' | 'newId' | 'cloud'>

/** What the end of a federation makes of its host. */
type ReleasedHost = {
  /** Go into the commit of that end. */
  writes: Write[]
  /** What becomes of a host that was created with it; null of others. */
  sentence: string | null
  /** True when its deletion begins with that commit. */
  goes: boolean
  /** Begins the deletion, after the commit. The reconciler makes good what is lost. */
  followUp(ports: Pick<Ports, 'executions' | 'log'>): Promise<void>
}

const STAYS = { goes: false, writes: [], followUp: async () => undefined }

/**
 * Decides on the host of a federation that ends, or whose create failed and is undone: one that was created with it is deleted, unless it is to be kept
 * or something else uses it.
 */
export const releasedHost = async (ports: ReleasePorts, federation: Federation): Promise<ReleasedHost> => {
  const { createdHost, projectId, hostClusterId, id, name } = federation
  if (!createdHost || createdHost.state === 'gone') return { ...STAYS, sentence: null }
  const host = await ports.stores.clusters.get({ projectId, id: hostClusterId })
  if (host === undefined) return { ...STAYS, sentence: null }
  const about = `Its host cluster ${quote(host.name)} (${host.id})`
  if (createdHost.keep) return { ...STAYS, sentence: `${about} is kept, as asked.` }
  const use = `host:${id}` as const
  if (host.uses.some((other) => other !== use)) {
    return { ...STAYS, sentence: `${about} is kept, since another federation uses it.` }
  }
  const message = `Cluster ${host.name} is being deleted with the federation ${name}, which it was created for.`
  const { writes, operation } = await deletionWithUse(ports, host, use, message)
  return {
    writes,
    sentence: `${about} is being deleted.`,
    goes: true,
    followUp: (started) => launch(started, { flow: 'cluster-delete', projectId, entityId: hostClusterId, operation }),
  }
}
