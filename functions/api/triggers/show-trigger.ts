import { type Noun, notFound } from '../../core/errors.ts'
import { busOf, type Delivery, type Trigger } from '../../core/trigger/trigger.ts'
import { listInWords, quote } from '../../core/values/wording.ts'
import { NameAmbiguous } from '../errors.ts'
import { timestamp } from '../representation.ts'
import type { ApiRequest } from '../route.ts'

const NOUN: Noun = 'Trigger'

/** A trigger without its secret, which is shown only once. */
export const showTrigger = ({ id, name, events, filter, url, formerSecretUntil, createdAt }: Trigger) => ({
  uuid: id,
  name,
  events,
  filter: {
    ...(filter.owner === undefined ? {} : { owner: filter.owner }),
    ...(filter.clusterId === undefined ? {} : { cluster_id: filter.clusterId }),
    ...(filter.outcome === undefined ? {} : { outcome: filter.outcome }),
  },
  target: busOf({ url }) === undefined ? { url } : { bus: url },
  former_secret_until: formerSecretUntil === null ? null : timestamp(formerSecretUntil),
  created_at: timestamp(createdAt),
})

export const showDelivery = ({ id, messageId, state, type, attempts, since, nextAt, last }: Delivery) => ({
  id,
  uuid: id,
  webhook_id: messageId,
  state,
  type: `fedplane.${type}`,
  attempts,
  created_at: timestamp(since),
  next_attempt_at: nextAt === null ? null : timestamp(nextAt),
  last_attempt: last === null ? null : { at: timestamp(last.at), status: last.status, message: last.message },
})

/** The trigger that the path names, by uuid or name. @throws ObjectNotVisible, NameAmbiguous */
export const findTrigger = async ({ ports, principal, params }: ApiRequest): Promise<Trigger> => {
  const ident = params.trigger ?? ''
  const all = await ports.stores.triggers.listOf(principal.projectId)
  const [first, ...more] = all.filter(({ id, name }) => id === ident || name === ident)
  if (first === undefined) throw notFound(NOUN, ident)
  if (more.length > 0) {
    throw new NameAmbiguous(
      `Multiple triggers have the name ${quote(ident)}: use one of the ids ${listInWords([first, ...more].map(({ id }) => id))}.`,
    )
  }
  return first
}

/** The delivery that the path names. @throws ObjectNotVisible */
export const findDelivery = async ({ ports, params }: ApiRequest, trigger: Trigger): Promise<Delivery> => {
  const id = params.delivery ?? ''
  const { projectId, id: triggerId } = trigger
  const delivery = await ports.stores.triggers.getDelivery({ projectId, triggerId, id })
  if (delivery === undefined) throw notFound('Delivery', id)
  return delivery
}
