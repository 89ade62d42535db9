import * as z from 'zod'
import { fitsPattern, type TriggerFilter } from '../../core/trigger/trigger.ts'
import type { DesiredTrigger } from '../../core/trigger/trigger-commands.ts'
import { EVENT_TYPES, OWN_TYPES } from '../../core/values/event.ts'
import { parseAttributes } from '../body/attributes.ts'
import { nameField, optional, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import type { BodySchema } from '../route.ts'

const EVENTS_RULE = 'must be a list of 1 to 20 types of events, such as "cluster.*" or "federation.join.failure"'
const FITS_RULE = `must fit a type of event: cluster or federation, then create, update, delete, join, unjoin, rotate or kubeconfig, then pending, success or failure; or ${OWN_TYPES.join(', ')} or project.update.success. "*" stands for any text`
/** Parts between dots, of small letters and `*`. */
const PATTERN = /^[a-z*]+(?:\.[a-z*]+){0,3}$/

const eventsField = z
  .array(
    z
      .string({ error: EVENTS_RULE })
      .max(100, { error: 'must have types of at most 100 characters' })
      .regex(PATTERN, { error: EVENTS_RULE })
      // Messages have their types so.
      .transform((pattern) => pattern.replace(/^fedplane\./, ''))
      .refine((pattern) => EVENT_TYPES.some((type) => fitsPattern(pattern, type)), { error: FITS_RULE }),
    { error: EVENTS_RULE },
  )
  .min(1, { error: EVENTS_RULE })
  .max(20, { error: EVENTS_RULE })

const OUTCOME_RULE = 'must be "pending", "success" or "failure"'

const filterField = z.strictObject(
  {
    /** Uuid or name. */
    owner: optional(textField()),
    cluster_id: optional(textField()),
    outcome: optional(z.enum(['pending', 'success', 'failure'], { error: OUTCOME_RULE })),
  },
  { error: 'must be an object with "owner", "cluster_id" or "outcome"' },
)

const URL_RULE =
  'must be a URL that begins with https://, without user name, password and fragment, of at most 2048 characters'

const isTarget = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hash } = new URL(text)
  return ['https:', 'http:'].includes(protocol) && username === '' && password === '' && hash === ''
}

const BUS_RULE =
  'must be the ARN of an EventBridge bus, for example "arn:aws:events:eu-central-1:111122223333:event-bus/shop"'
const BUS = /^arn:aws(-[a-z]+)*:events:[a-z0-9-]+:[0-9]{12}:event-bus\/[\w./-]{1,256}$/

const TARGET_RULE = 'must be an object with either "url" or "bus"'

const targetField = z
  .strictObject(
    {
      url: optional(z.string({ error: URL_RULE }).max(2048, { error: URL_RULE }).refine(isTarget, { error: URL_RULE })),
      bus: optional(z.string({ error: BUS_RULE }).regex(BUS, { error: BUS_RULE })),
    },
    { error: TARGET_RULE },
  )
  .refine(({ url, bus }) => (url === undefined) !== (bus === undefined), { error: TARGET_RULE })
  .transform(({ url, bus = '' }) => (url === undefined ? bus : new URL(url).href))

const createTrigger = z.object({
  name: nameField,
  events: eventsField,
  filter: optional(filterField),
  target: targetField,
})
type CreateTrigger = z.output<typeof createTrigger>

const OTHERS = { ignored: ['uuid'], readOnly: ['secret', 'created_at'] }

export const createTriggerBody: BodySchema<CreateTrigger> = {
  schema: createTrigger,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(createTrigger, body, OTHERS),
}

const filterOf = ({ owner, cluster_id: clusterId, outcome }: NonNullable<CreateTrigger['filter']>): TriggerFilter => ({
  ...(owner === undefined ? {} : { owner }),
  ...(clusterId === undefined ? {} : { clusterId }),
  ...(outcome === undefined ? {} : { outcome }),
})

/** What the body asks for. */
export const desiredTrigger = ({
  name,
  events,
  filter = {},
  target,
}: CreateTrigger): Pick<DesiredTrigger, 'name' | 'events' | 'filter' | 'url'> => ({
  name,
  events,
  filter: filterOf(filter),
  url: target,
})
