import { randomBytes } from 'node:crypto'
import { StateConflict, TooManyRequests } from '../errors.ts'
import { projectEvent } from '../operation/events.ts'
import type { Ports, TablePorts } from '../ports.ts'
import { Secret } from '../values/secret.ts'
import { quote } from '../values/wording.ts'
import { busOf, cloudEvent, type Delivery, newDelivery, signingKeyOf, type Trigger } from './trigger.ts'

/** Bytes of a signing secret (Standard Webhooks: 24 to 64). */
const SECRET_BYTES = 32
/** How long the former secret signs, too, after a rotation: a day. */
const FORMER_MS = 24 * 3600 * 1000

const newSecret = (): Secret => new Secret(`whsec_${randomBytes(SECRET_BYTES).toString('base64')}`)

type Stored = Pick<Ports, 'stores' | 'clock' | 'newId' | 'caller'>

/** What a caller says of a new trigger. */
export type DesiredTrigger = Pick<Trigger, 'projectId' | 'userId' | 'name' | 'events' | 'filter' | 'url'>

/** Creates a trigger with a secret of its own, which is shown this once; on a bus nothing is signed, and there is none. @throws ProjectLimitReached */
export const createTrigger = async (
  ports: Stored,
  desired: DesiredTrigger,
): Promise<{ trigger: Trigger; secret?: Secret }> => {
  const { stores, clock, newId } = ports
  const trigger: Trigger = {
    ...desired,
    id: newId(),
    formerSecretUntil: null,
    testedAt: null,
    revision: 1,
    createdAt: clock.now().toISOString(),
  }
  const message = `Trigger ${quote(trigger.name)} (${trigger.id}) was created.`
  const told = projectEvent(ports, trigger.projectId, { reason: 'TriggerCreate', message })
  if (busOf(trigger) !== undefined) {
    await stores.commit([stores.triggers.insert(trigger), told])
    return { trigger }
  }
  const secret = newSecret()
  const sealed = await stores.credentials.seal(signingKeyOf(trigger, 'signing'), secret)
  await stores.commit([stores.triggers.insert(trigger), sealed, told])
  return { trigger, secret }
}

/** Deletes it with its secrets. What is on its way to its target is given up. */
export const deleteTrigger = async ({ stores }: Pick<TablePorts, 'stores'>, trigger: Trigger): Promise<void> =>
  stores.commit([
    stores.triggers.remove(trigger),
    stores.credentials.remove(signingKeyOf(trigger, 'signing')),
    stores.credentials.remove(signingKeyOf(trigger, 'signing-former')),
  ])

/** Gives it a new secret, which is shown this once. The former one signs beside it for a day. @throws StateConflict for one without */
export const rotateTriggerSecret = async (
  { stores, clock }: Stored,
  trigger: Trigger,
): Promise<{ secret: Secret; formerSecretUntil: string }> => {
  if (busOf(trigger) !== undefined) {
    throw new StateConflict(
      `The trigger ${trigger.name} puts events on a bus, where nothing is signed: it has no secret.`,
    )
  }
  const former = await stores.credentials.get(signingKeyOf(trigger, 'signing'))
  const secret = newSecret()
  const formerSecretUntil = new Date(clock.now().getTime() + FORMER_MS).toISOString()
  await stores.commit([
    stores.triggers.change(trigger, { formerSecretUntil }),
    await stores.credentials.seal(signingKeyOf(trigger, 'signing'), secret),
    ...(former === undefined ? [] : [await stores.credentials.seal(signingKeyOf(trigger, 'signing-former'), former)]),
  ])
  return { secret, formerSecretUntil }
}

type Delivering = Pick<TablePorts, 'stores' | 'clock' | 'newId'>

/** Between two tests of a trigger, milliseconds. */
const TEST_PAUSE_MS = 2_000

/** @throws TooManyRequests */
const requirePause = ({ testedAt }: Trigger, now: Date): void => {
  const left = testedAt === null ? 0 : Date.parse(testedAt) + TEST_PAUSE_MS - now.getTime()
  if (left <= 0) return
  const retryAfterSeconds = Math.ceil(left / 1000)
  const message = `The trigger was tested a moment ago. Test it again in ${retryAfterSeconds} s.`
  throw new TooManyRequests(message, { details: { retryAfterSeconds } })
}

/** Sends an event of the type `trigger.test`. @throws TooManyRequests when it was tested a moment ago */
export const testTrigger = async ({ stores, clock, newId }: Delivering, trigger: Trigger): Promise<Delivery> => {
  const [id, now, type] = [newId(), clock.now(), 'trigger.test']
  requirePause(trigger, now)
  const { projectId, name } = trigger
  const subject = `trigger/${trigger.id}`
  const payload = cloudEvent({ id, type, time: now.toISOString(), subject, projectId, data: { trigger: name } })
  const delivery = newDelivery({ id, messageId: id, projectId, triggerId: trigger.id, type, payload }, now)
  await stores.commit([
    stores.triggers.change(trigger, { testedAt: now.toISOString() }),
    stores.triggers.addDelivery(delivery),
  ])
  return delivery
}

/** Delivers once more what was delivered or given up: the same message under the same `webhook-id`. @throws StateConflict while it is pending */
export const replayDelivery = async ({ stores, clock, newId }: Delivering, former: Delivery): Promise<Delivery> => {
  if (former.state === 'pending') {
    throw new StateConflict(
      `The delivery ${former.id} is still tried, next at ${former.nextAt}. Replay it when it is delivered or dead.`,
    )
  }
  const { messageId, projectId, triggerId, type, payload } = former
  const delivery = newDelivery({ id: newId(), messageId, projectId, triggerId, type, payload }, clock.now())
  await stores.commit([stores.triggers.addDelivery(delivery)])
  return delivery
}
