import { InvalidRequest } from '../../core/errors.ts'
import { busOf, isBusAllowed } from '../../core/trigger/trigger.ts'
import { createTrigger, rotateTriggerSecret } from '../../core/trigger/trigger-commands.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { type AddressPolicy, checkServerUrl, hostOf, isLoopbackHost } from '../../kubernetes/address-guard.ts'
import { noAttributes } from '../body/attributes.ts'
import { noQuery } from '../query.ts'
import { timestamp } from '../representation.ts'
import { type ApiResponse, type KeysRequest, type Route, route } from '../route.ts'
import { findTrigger, showTrigger } from './show-trigger.ts'
import { createTriggerBody, desiredTrigger } from './trigger.schema.ts'

/** @throws InvalidRequest */
const requireBus = ({ ports, principal }: KeysRequest, bus: string): void => {
  if (ports.triggerBuses === undefined) {
    throw new InvalidRequest(
      '"target.bus" is for installations on AWS. Give "target.url", which gets each event by POST.',
    )
  }
  if (isBusAllowed(ports.triggerBuses, principal.projectId, bus)) return
  throw new InvalidRequest(
    `"target.bus" is ${bus}, which the operator does not allow this project. Ask them to list it in the setting triggerBuses.`,
  )
}

/** Names are checked when they are resolved, at each delivery. @throws InvalidRequest */
const requireUrl = (text: string, policy: AddressPolicy): void => {
  try {
    const url = checkServerUrl(text, policy)
    if (url.protocol === 'https:' || (policy.name === 'local' && isLoopbackHost(hostOf(url)))) return
  } catch (error) {
    if (!isAppError(error)) throw error
    throw new InvalidRequest(
      `"target.url" names ${hostOf(new URL(text))}, an address that fedplane does not connect to. Use one that is public, or that the operator allows.`,
    )
  }
  throw new InvalidRequest('"target.url" must begin with https://. Plain http is for receivers on this machine only.')
}

const create = async (
  request: KeysRequest<unknown, ReturnType<typeof createTriggerBody.parse>>,
): Promise<ApiResponse> => {
  const { ports, principal, body } = request
  const desired = desiredTrigger(body)
  const bus = busOf(desired)
  if (bus === undefined) requireUrl(desired.url, ports.addressPolicy)
  else requireBus(request, bus)
  const { userId, projectId } = principal
  const { trigger, secret } = await createTrigger(ports, { ...desired, userId, projectId })
  const shown = showTrigger(trigger)
  return { status: 201, body: secret === undefined ? shown : { ...shown, secret: secret.reveal() } }
}

const rotate = async (request: KeysRequest): Promise<ApiResponse> => {
  const trigger = await findTrigger(request)
  const { secret, formerSecretUntil } = await rotateTriggerSecret(request.ports, trigger)
  return { status: 200, body: { secret: secret.reveal(), former_secret_until: timestamp(formerSecretUntil) } }
}

/** Those that make a secret, which is shown this once and sealed. */
export const TRIGGER_KEYS_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/triggers',
    access: 'keys',
    rule: 'trigger:create',
    summary: 'Creates a trigger, whose secret is shown this once.',
    schemas: { query: noQuery, body: createTriggerBody },
    handle: create,
  }),
  route({
    method: 'POST',
    path: '/v1/triggers/{trigger}/actions/rotate-secret',
    access: 'keys',
    rule: 'trigger:update',
    summary: 'Gives a trigger a new secret; the former one is valid for a day.',
    schemas: { query: noQuery, body: noAttributes },
    handle: rotate,
  }),
]
