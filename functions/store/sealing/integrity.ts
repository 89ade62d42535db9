import { createHmac, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Cluster } from '../../core/cluster/cluster.ts'
import type { Federation } from '../../core/federation/federation.ts'
import type { Grant, Loan } from '../../core/grant/grant.ts'
import type { Membership } from '../../core/membership/membership.ts'
import { ItemAltered } from '../errors.ts'
import type { KeyOfProject } from './seal.ts'

/**
 * What of an item leads to credentials: where they are sent, who may use them, and for what. Whoever may write the table but has no rights on keys
 * must not be able to change it.
 */
export type Facts = readonly unknown[]

/** Names the list of facts: a field that joins them, or that they gain, takes another version, so that items of before still agree. */
const VERSION = '1'

/** Facts of a cluster: who owns it, where it is, who it is, through and for what it is used, and what its driver noted. */
export const clusterFacts = (cluster: Cluster): Facts => {
  const { projectId, id, userId, driver, endpoint, identity, driverState } = cluster
  const { management = null, madeThrough = null } = cluster
  return ['cluster', projectId, id, userId, driver, endpoint, identity, management, madeThrough, driverState]
}

/** Fields of a change that are among the facts. */
export const CLUSTER_FACTS = ['endpoint', 'identity', 'management', 'driverState'] as const satisfies (keyof Cluster)[]

/** Of a cluster of the own project there are none, so that items of before agree; nothing else is at this place of the list. */
const loanFacts = (loan: Loan | undefined): Facts =>
  loan === undefined ? [] : [{ loan: { projectId: loan.projectId, grantId: loan.grantId } }]

/** Whoever sets it consents to joins that nobody asks for. Absent, so that items of before agree, where there is none. */
const selectorFacts = ({ memberSelector }: Pick<Federation, 'memberSelector'>): Facts =>
  memberSelector ? [{ memberSelector }] : []

/** Whoever sets it consents to members that leave, and join again, without anybody asking. Absent likewise. */
const healthFacts = ({ healthPolicy, leftUnhealthy = [] }: Federation): Facts => [
  ...(healthPolicy ? [{ healthPolicy }] : []),
  ...(leftUnhealthy.length > 0 ? [{ leftUnhealthy }] : []),
]

/** Facts of a federation: who owns it, where it runs, and what runs there. */
export const federationFacts = (federation: Federation): Facts => {
  const { projectId, id, userId, driver, hostClusterId, properties, propertiesInForce = null, driverState } = federation
  const own = ['federation', projectId, id, userId, driver, hostClusterId, properties, propertiesInForce, driverState]
  return [...own, ...loanFacts(federation.hostLoan), ...selectorFacts(federation), ...healthFacts(federation)]
}

/** Fields of a change that are among the facts. */
export const FEDERATION_FACTS = [
  'properties',
  'propertiesInForce',
  'driverState',
  'memberSelector',
  'healthPolicy',
  'leftUnhealthy',
] as const satisfies (keyof Federation)[]

/** Facts of a membership: that the cluster was joined to the federation at all. */
export const membershipFacts = ({ projectId, federationId, clusterId, loan }: Membership): Facts => [
  'membership',
  projectId,
  federationId,
  clusterId,
  ...loanFacts(loan),
]

/** Facts of a grant: what its giver consented to, and whether it was revoked. */
export const grantFacts = (grant: Grant): Facts => {
  const { projectId, id, clusterId, userId, receiver, actions, rights, expiresAt, revokedAt } = grant
  return ['grant', projectId, id, clusterId, userId, receiver, actions, rights, expiresAt, revokedAt]
}

const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const valuesOf = (value: object): unknown[] | undefined => {
  if (Array.isArray(value)) return Array.from(value)
  const isPlain = isPlainObject(value) && Object.getOwnPropertySymbols(value).length === 0
  return isPlain ? Object.values(value) : undefined
}

/**
 * JSON would leave some values out and take others for something else (a Map is `{}`), so that two facts had the same HMAC.
 *
 * @throws TypeError, which is a fault of ours
 */
const requirePlainJson = (value: unknown): void => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  const parts = typeof value === 'object' ? valuesOf(value) : undefined
  if (parts === undefined) throw new TypeError(`A fact of an item is not plain JSON, but ${describeKind(value)}.`)
  for (const part of parts) requirePlainJson(part)
}

/** Not the value itself: it may be a secret. */
const describeKind = (value: unknown): string =>
  typeof value === 'object' ? `an object of ${value?.constructor?.name ?? 'no class'}` : `of type ${typeof value}`

/**
 * The same text for the same value, in whatever order its keys come back from the table.
 *
 * @throws TypeError for what is not plain JSON
 */
const canonical = (value: unknown): string => {
  requirePlainJson(value)
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}

const macOf = (dataKey: KeyObject, facts: Facts): string => {
  const key = Buffer.from(hkdfSync('sha256', dataKey, '', 'fedplane item integrity', 32))
  return createHmac('sha256', key)
    .update(canonical([VERSION, ...facts]))
    .digest('base64url')
}

const isEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Makes and checks the `integrity` of items: `<version>.<HMAC-SHA256>` of their facts, under a key derived from the project's data key. */
export type ItemIntegrity = {
  /** @throws KeyAccessMissing where there are no rights on keys */
  of(projectId: string, facts: Facts): Promise<string>
  /** @throws ItemAltered naming the item */
  check(projectId: string, facts: Facts, integrity: string | undefined): Promise<void>
}

const altered = ([kind, ...ids]: Facts): ItemAltered =>
  new ItemAltered(
    `What is stored of ${String(kind)} ${ids.slice(1, 3).join(' ')} was not written by fedplane as it is now, so nothing of it is used. ` +
      'Find out who writes the table; restore the item, or delete it and register it again.',
    { details: { kind, id: ids[1] } },
  )

/** Over the data keys of projects. */
export const itemIntegrity = (keyOf: KeyOfProject): ItemIntegrity => {
  const of = async (projectId: string, facts: Facts): Promise<string> =>
    `${VERSION}.${macOf(await keyOf(projectId), facts)}`
  return {
    of,
    check: async (projectId, facts, integrity) => {
      if (integrity === undefined || !isEqual(integrity, await of(projectId, facts))) throw altered(facts)
    },
  }
}
