import type { Ports } from '../../core/ports.ts'
import {
  busOf,
  type Delivery,
  type DeliveryKey,
  isBusAllowed,
  type PutOnBus,
  signingKeyOf,
  type Trigger,
} from '../../core/trigger/trigger.ts'
import { loggedError } from '../../core/values/app-error.ts'
import type { Secret } from '../../core/values/secret.ts'
import { RevisionConflict } from '../../store/errors.ts'
import type { DeliveryChange } from '../../store/trigger.store.ts'
import { beat } from '../heartbeat.ts'
import { type Items, inShares, type Shares } from '../in-shares.ts'
import { type Posted, type Sending as Posting, post } from './post.ts'

export type DeliverPorts = Pick<Ports, 'stores' | 'clock' | 'log' | 'addressPolicy' | 'triggerBuses'>

/** How events leave. Without `putOnBus` there are no buses. */
export type Sending = Posting & { putOnBus?: PutOnBus }

/** How long a try may go on before another begins, seconds: for one that was killed. */
const LEASE_SECONDS = 60
/** Seconds between tries, the last again and again. */
const PAUSES = [60, 300, 900, 1800, 3600, 7200, 14_400]
/** After so long it is given up, milliseconds: a day. */
const GIVE_UP_MS = 24 * 3600 * 1000
/** The longest that a receiver's `Retry-After` is heeded, seconds. */
const RETRY_AFTER_MAX = 3600
/** A receiver that is gone for good (RFC 9110 section 15.5.11). */
const GONE = 410

const later = (now: Date, seconds: number): string => new Date(now.getTime() + seconds * 1000).toISOString()

/** What a try means for the delivery. */
const after = (delivery: Delivery, posted: Posted, now: Date): DeliveryChange => {
  const { status, message, retryAfterSeconds } = posted
  const last = { at: now.toISOString(), status, message }
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered', nextAt: null, last }
  const pause = PAUSES[Math.min(delivery.attempts, PAUSES.length) - 1] ?? 0
  const next = later(now, Math.max(pause, Math.min(retryAfterSeconds ?? 0, RETRY_AFTER_MAX)))
  const isOver = new Date(next).getTime() - new Date(delivery.since).getTime() > GIVE_UP_MS
  return isOver || status === GONE ? { state: 'dead', nextAt: null, last } : { nextAt: next, last }
}

const secretsOf = async ({ stores }: DeliverPorts, trigger: Trigger, now: Date): Promise<Secret[]> => {
  const { formerSecretUntil } = trigger
  const hasFormer = formerSecretUntil !== null && formerSecretUntil > now.toISOString()
  const secrets = await Promise.all([
    stores.credentials.get(signingKeyOf(trigger, 'signing')),
    hasFormer ? stores.credentials.get(signingKeyOf(trigger, 'signing-former')) : undefined,
  ])
  return secrets.filter((secret) => secret !== undefined)
}

/** Takes the try for itself. @throws RevisionConflict when somebody else has */
const claim = async ({ stores }: DeliverPorts, read: Delivery, now: Date): Promise<Delivery> => {
  const change = { attempts: read.attempts + 1, nextAt: later(now, LEASE_SECONDS) }
  await stores.commit([stores.triggers.changeDelivery(read, change)])
  return { ...read, ...change, revision: read.revision + 1 }
}

const giveUp = ({ stores, clock }: DeliverPorts, delivery: Delivery): Promise<void> => {
  const last = { at: clock.now().toISOString(), status: null, message: 'The trigger was deleted.' }
  return stores.commit([stores.triggers.changeDelivery(delivery, { state: 'dead', nextAt: null, last })])
}

/** The operator may have taken a bus out of the list since. */
const put = async (
  { triggerBuses }: DeliverPorts,
  bus: string,
  { projectId, type, payload, since }: Delivery,
  { putOnBus }: Sending,
): Promise<Posted> => {
  const answer = (status: number | null, message: string): Posted => ({ status, message, retryAfterSeconds: null })
  if (putOnBus === undefined || !isBusAllowed(triggerBuses, projectId, bus)) {
    return answer(null, 'The operator does not allow this bus any more.')
  }
  const refusal = await putOnBus({ bus, type: `fedplane.${type}`, payload, at: new Date(since) })
  return refusal === undefined ? answer(200, 'The bus took the event.') : answer(null, `The bus refused: ${refusal}.`)
}

const send = async (ports: DeliverPorts, trigger: Trigger, delivery: Delivery, sending: Sending): Promise<Posted> => {
  const bus = busOf(trigger)
  if (bus !== undefined) return put(ports, bus, delivery, sending)
  const at = ports.clock.now()
  const secrets = await secretsOf(ports, trigger, at)
  const { messageId: id, payload } = delivery
  return post({ id, at, payload, url: trigger.url, secrets }, sending)
}

const tryOnce = async (ports: DeliverPorts, key: DeliveryKey, sending: Sending): Promise<void> => {
  const { stores, clock } = ports
  const [delivery, trigger] = await Promise.all([
    stores.triggers.getDelivery(key),
    stores.triggers.get({ projectId: key.projectId, id: key.triggerId }),
  ])
  const now = clock.now()
  if (delivery === undefined || delivery.nextAt === null || delivery.nextAt > now.toISOString()) return
  if (trigger === undefined) return giveUp(ports, delivery)
  const claimed = await claim(ports, delivery, now)
  const posted = await send(ports, trigger, claimed, sending)
  await stores.commit([stores.triggers.changeDelivery(claimed, after(claimed, posted, clock.now()))])
}

/**
 * Tries a delivery that is due: at least once, and by one at a time. What becomes of it is stored, with the time of the next try. A fault of ours is
 * logged, and tried again by the next run.
 */
export const deliver = async (ports: DeliverPorts, key: DeliveryKey, sending: Sending): Promise<void> => {
  try {
    await tryOnce(ports, key, sending)
  } catch (error) {
    if (error instanceof RevisionConflict) return
    const reported = loggedError(error)
    ports.log.error('delivery not tried', { ...key, ...reported })
  }
}

/** Tries in parallel, and how much of them is one project's: receivers that hang take 10 s each. The longest due come first. */
const SHARES: Shares = { limit: 50, share: 10, budgetMs: 120_000, turn: 0 }
/** Of a trigger in one run of the schedule: a receiver that hangs leaves its project's places to the others. */
const TRIGGER_MAX = 20

/**
 * Tries these, as far as they are due, each project's in its share of places and time.
 *
 * @returns how many were left to the schedule
 */
export const deliverAll = async (
  ports: DeliverPorts,
  keys: Items<DeliveryKey>,
  sending: Sending,
): Promise<{ putOff: number }> => ({
  putOff: (await inShares(keys, SHARES, (key) => deliver(ports, key, sending))).length,
})

/**
 * Tries what is due. The schedule of each minute runs it: retries, and what was lost on its way. A project whose receivers hang takes its share of places
 * and time only, and of each trigger there are but the first ones.
 *
 * @returns how many were left to the next run
 */
export const deliverDue = async (ports: DeliverPorts, sending: Sending): Promise<{ putOff: number }> => {
  const taken = new Map<string, number>()
  let beyond = 0
  async function* firstOfEach() {
    for await (const key of ports.stores.triggers.due(ports.clock.now().toISOString())) {
      const before = taken.get(key.triggerId) ?? 0
      taken.set(key.triggerId, before + 1)
      if (before < TRIGGER_MAX) yield key
      else beyond += 1
    }
  }
  const { putOff } = await deliverAll(ports, firstOfEach(), sending)
  await beat(ports, 'trigger-deliveries')
  return { putOff: putOff + beyond }
}
