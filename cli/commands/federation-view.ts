import type { FederationView, MemberState, MemberView } from '../api/views.ts'
import { CliError } from '../errors.ts'
import { type Kind, tableOf } from '../output/format.ts'
import type { Snapshot } from '../output/progress.ts'
import { age, description, table } from '../output/table.ts'

/** Columns of the specification (`openstack federation list`: uuid, name, members, status), the name first as in kubectl. */
export const FEDERATIONS: Kind<FederationView> = {
  name: 'federation',
  list: 'federations',
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', value: ({ name }) => name },
    { heading: 'STATUS', value: ({ status }) => status },
    { heading: 'MEMBERS', value: ({ members }) => `${members.filter(isReady).length}/${members.length}` },
    { heading: 'DRIVER', value: ({ driver }) => driver },
    { heading: 'AGE', value: ({ created_at }) => age(created_at, Date.now()) },
    { heading: 'UUID', value: ({ uuid }) => uuid, isWide: true },
    { heading: 'HOST', value: ({ hostcluster_id }) => hostcluster_id, isWide: true },
    { heading: 'PROJECT', value: ({ project_id }) => project_id, isWide: true },
    { heading: 'REASON', value: ({ status_reason }) => status_reason ?? '', isWide: true },
  ],
}

export const MEMBERS: Kind<MemberView> = {
  name: 'member',
  list: 'members',
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', value: ({ name }) => name },
    { heading: 'STATE', value: ({ state }) => state },
    { heading: 'REASON', value: ({ reason }) => reason ?? '' },
    { heading: 'SINCE', value: ({ since }) => age(since, Date.now()) },
    { heading: 'MESSAGE', value: ({ message }) => message ?? '' },
    { heading: 'CLUSTER', value: ({ cluster_id }) => cluster_id, isWide: true },
    { heading: 'SHARED', value: ({ shared }) => (shared ? 'yes' : ''), isWide: true },
  ],
}

const isReady = ({ state }: MemberView): boolean => state === 'Ready'

export const NOT_JOINED: ReadonlySet<MemberState> = new Set(['JoinFailed'])

/** True while a join or an unjoin of it goes on. */
export const isMoving = ({ state }: MemberView): boolean =>
  state === 'Waiting' || state === 'Joining' || state === 'Leaving'

const section = (title: string, text: string): string => `\n${title}:\n${text.replaceAll(/^(?=.)/gm, '  ')}`

/** What becomes of a host that was created with the federation. */
const fateOf = ({ host }: FederationView): string => {
  if (!host?.created) return ''
  return host.keep ? ', created with it, kept' : ', created with it, deleted with it'
}

/** What becomes of its unhealthy members. */
const policyOf = ({ on_unhealthy: what, after_seconds: seconds, on_healthy: then }: FederationView): string => {
  if (what === undefined) return ''
  if (what === 'keep') return 'kept'
  const again = what === 'unjoin' && then !== undefined ? `; when it is healthy again: ${then}` : ''
  return `${what} after ${seconds ?? 0} s${again}`
}

/** All of a federation, for people. `host`: name of the host cluster, where it is known. */
export const describeFederation = (view: FederationView, host?: string): string => {
  const properties = Object.entries(view.properties).map(([key, value]) => `${key}=${value}`)
  const left = view.left_unhealthy_ids ?? []
  const facts = description([
    ['Name', view.name],
    ['UUID', view.uuid],
    ['Status', view.status],
    ['Reason', view.status_reason ?? ''],
    ['Host', `${host === undefined ? view.hostcluster_id : `${host} (${view.hostcluster_id})`}${fateOf(view)}`],
    ['Driver', view.driver],
    ['Endpoint', view.endpoint ?? ''],
    ['Properties', properties.join(', ')],
    ['Unhealthy', policyOf(view)],
    ...(left.length === 0 ? [] : [['Left by it', left.join(', ')] as const]),
    ['Project', view.project_id],
    ['Created', view.created_at],
  ])
  const conditions = view.conditions.map(({ type, status, reason, message }) => [type, status, reason, message])
  return [
    facts,
    ...(view.members.length === 0 ? [] : [section('Members', tableOf(MEMBERS, view.members))]),
    ...(conditions.length === 0
      ? []
      : [section('Conditions', table(['TYPE', 'STATUS', 'REASON', 'MESSAGE'], conditions))]),
  ].join('')
}

/** More members than these are shown only while something is to be said of them. */
const FEW = 12

const memberLine = ({ name, state, reason, message }: MemberView, width: number): string =>
  [name.padEnd(width), state, reason, message].filter((part) => part).join('  ')

/** How work on a federation goes on, member by member. */
export const federationSnapshot = ({ name, status, status_reason: reason, members }: FederationView): Snapshot => {
  const told = members.length > FEW ? members.filter((member) => !isReady(member)) : members
  const width = Math.max(0, ...told.map((member) => member.name.length))
  return {
    whole: `federation/${name}  ${status}${reason === null ? '' : `  ${reason}`}`,
    parts: new Map(told.map((member) => [member.cluster_id, memberLine(member, width)])),
  }
}

const FAILED = /_FAILED$/

/** True once no work on the federation itself goes on. @throws CliError when it failed */
export const isSettled = (view: FederationView | undefined, name: string): boolean => {
  if (view === undefined) throw new CliError(`Federation ${name} was deleted meanwhile.`)
  if (!FAILED.test(view.status)) return !view.status.endsWith('_IN_PROGRESS')
  throw new CliError(`Federation ${view.name} is ${view.status}: ${view.status_reason ?? 'no reason is given'}`, {
    remedy: `fedplane federation events ${view.name}`,
  })
}

/** True once no join or unjoin of these members goes on; a member that is no longer listed has left. */
export const haveSettled = (view: FederationView, clusterIds: ReadonlySet<string>): boolean =>
  !view.members.some((member) => clusterIds.has(member.cluster_id) && isMoving(member))

/** The members that did not reach what was asked for. @throws CliError naming them with their reasons */
export const requireMembers = (
  { name, members }: FederationView,
  {
    ids,
    isFailed,
    remedy,
  }: { ids: ReadonlySet<string>; isFailed: (state: MemberView['state']) => boolean; remedy: string },
): void => {
  const failed = members.filter(({ cluster_id, state }) => ids.has(cluster_id) && isFailed(state))
  if (failed.length === 0) return
  const reasons = failed.map(
    (member) => `${member.name} is ${member.state}: ${member.message ?? member.reason ?? 'no reason is given'}`,
  )
  throw new CliError(`In federation ${name} ${reasons.join(' ')}`, { remedy })
}
