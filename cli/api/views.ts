import * as z from 'zod'

/**
 * What the command line reads of answers, checked where they come in: a proxy, another product or an attacker may have written them. More fields may be there;
 * the whole is in docs/api.
 */

const text = z.string()
const maybe = text.nullable()
const texts = z.record(text, text)
const lifecycle = {
  uuid: text,
  name: text,
  status: text,
  status_reason: maybe,
  project_id: text,
  driver: text,
  created_at: text,
}
const condition = z.looseObject({ type: text, status: text, reason: text, message: text })
const member = z.looseObject({
  cluster_id: text,
  name: text,
  state: text,
  reason: maybe,
  message: maybe,
  since: text,
  shared: z.boolean().optional(),
})

const federation = z.looseObject({
  ...lifecycle,
  hostcluster_id: text,
  /** Absent from servers that create no hosts. */
  host: z.looseObject({ created: z.boolean(), keep: z.boolean() }).optional(),
  members: z.array(member),
  properties: texts,
  endpoint: maybe,
  conditions: z.array(condition),
  /** Absent from servers without health policies. */
  on_unhealthy: text.optional(),
  after_seconds: z.number().optional(),
  on_healthy: text.optional(),
  left_unhealthy_ids: z.array(text).optional(),
})
const cluster = z.looseObject({
  ...lifecycle,
  cluster_template_id: text,
  node_count: z.number(),
  master_count: z.number(),
  labels: texts.nullable(),
  health_status: maybe,
  health_status_reason: texts.nullable(),
  coe_version: maybe,
  api_address: maybe,
  federations: z.array(z.looseObject({ uuid: text, role: text })),
})
const template = z.looseObject({
  uuid: text,
  name: text,
  driver: text,
  image_id: text.optional(),
  public: z.boolean().optional(),
  hidden: z.boolean().optional(),
})
const property = z.looseObject({ key: text, description: text, default: maybe })
const driver = z.looseObject({
  id: text,
  federation: z.looseObject({ description: text, default: z.boolean(), properties: z.array(property) }).nullish(),
  cluster: z
    .looseObject({ description: text, capabilities: z.looseObject({ makes_nodes: z.boolean() }).optional() })
    .nullish(),
})
const dryRun = z.looseObject({
  would_succeed: z.boolean(),
  findings: z.array(z.looseObject({ severity: text, reason: text, message: text })).optional(),
  would_make: z.array(text).optional(),
  would_remove: z.array(text).optional(),
  would_join: z.array(z.looseObject({ name: text })).optional(),
  would_leave: z.array(z.looseObject({ name: text })).optional(),
  would_cordon: z.array(z.looseObject({ name: text })).optional(),
})
const event = z.looseObject({
  id: text,
  time: text,
  /** Of one entity; those of the project's feed have a type. */
  action: text.optional(),
  outcome: text.optional(),
  reason: text,
  message: text,
  cluster_id: maybe,
})
const feedEvent = event.extend({
  cursor: text,
  type: text,
  owner: z.looseObject({ uuid: text, name: text.nullable() }),
})
export type FeedEventView = z.infer<typeof feedEvent>

const trigger = z.looseObject({
  uuid: text,
  name: text,
  events: z.array(text),
  filter: z.record(z.string(), text),
  target: z.looseObject({ url: text.optional(), bus: text.optional() }),
  created_at: text,
})
export type TriggerView = z.infer<typeof trigger>

const delivery = z.looseObject({
  uuid: text,
  state: text,
  type: text,
  attempts: z.number(),
  next_attempt_at: text.nullable(),
  last_attempt: z.looseObject({ message: text }).nullable(),
})
export type DeliveryView = z.infer<typeof delivery>

const grant = z.looseObject({
  uuid: text,
  direction: text,
  cluster_uuid: text,
  cluster_name: text,
  owner_project_id: text,
  project_id: maybe,
  federation_id: maybe,
  actions: z.array(text),
  rights: text,
  state: text,
  expires_at: maybe,
  created_at: text,
  federations: z.array(z.looseObject({ uuid: text, role: text })),
})
const clusterUse = z.looseObject({
  uuid: text,
  name: maybe,
  project_id: text,
  role: text,
  rights: maybe,
  grant_id: maybe,
  since: maybe,
  state: maybe,
  message: maybe,
})
const credential = z.looseObject({
  uuid: text,
  kind: text,
  place: text,
  cluster_uuid: maybe,
  cluster_name: maybe,
  federation_uuid: maybe,
  federation_name: maybe,
  object: maybe,
  holder: text,
  user_id: maybe,
  rights: maybe,
  /** Absent from servers that do not know it. */
  left_behind: z.boolean().optional(),
  valid_until: text,
})
export type CredentialView = z.infer<typeof credential>

/** States of docs/api/federations.md: Waiting, Joining, Ready, Degraded, Leaving, JoinFailed, UnjoinFailed; later servers may have more. */
export type MemberState = string
export type MemberView = z.infer<typeof member>
export type FederationView = z.infer<typeof federation>
export type ClusterView = z.infer<typeof cluster>
export type TemplateView = z.infer<typeof template>
export type DriverView = z.infer<typeof driver>
export type EventView = z.infer<typeof event>
export type GrantView = z.infer<typeof grant>
/** A federation as the owner of a cluster that it uses sees it. */
export type ClusterUseView = z.infer<typeof clusterUse>
export type DryRunView = z.infer<typeof dryRun>

const whoami = z.looseObject({ user_id: text, project_id: text, roles: z.array(text), source: text })
export type WhoamiView = z.infer<typeof whoami>

const clusterUses = z.looseObject({ federations: z.array(clusterUse) })
const hook = z.looseObject({ uuid: text, name: text, created_at: text })
export type HookView = z.infer<typeof hook>
const newHook = hook.extend({ url: text })
export type NewHookView = z.infer<typeof newHook>
const observing = z.looseObject({ uuid: text, state: text })
export type ObserveView = z.infer<typeof observing>

const created = z.looseObject({ uuid: text })
const certificate = z.looseObject({ pem: text })
const anything = z.looseObject({})

const ITEMS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['federations', federation],
  ['clusters', cluster],
  ['members', member],
  ['clustertemplates', template],
  ['drivers', driver],
  ['events', event],
  ['triggers', trigger],
  ['deliveries', delivery],
  ['grants', grant],
  ['hooks', hook],
])

/** Of what is below one thing. */
const BELOW: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['POST clusters/hooks', newHook],
  ['POST clusters/actions/observe', observing],
  ['GET clusters/actions/observe', observing],
])

/** Of lists that are below nothing of their name. */
const LISTED: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([...ITEMS, ['credentials', credential]])

/** Of a list by its name in the answer. */
export const itemsOf = (key: string): z.ZodType => z.array(LISTED.get(key) ?? anything)

/** Of one thing by its path: `/clusters/edge-1`. What makes or changes it answers with its uuid, or with what would happen. */
export const shapeOf = (method: string, path: string): z.ZodType => {
  const [, kind = '', name, ...more] = path.split('/')
  if (kind === 'certificates') return certificate
  if (kind === 'whoami') return whoami
  if (kind === 'clusters' && more[0] === 'federations' && method === 'GET') return clusterUses
  const below = BELOW.get(`${method} ${kind}/${more.join('/')}`)
  if (below !== undefined) return below
  if (method === 'GET')
    return (name !== undefined && name !== 'detail' && more.length === 0 && ITEMS.get(kind)) || anything
  const isCreation = method === 'POST' && name === undefined
  return isCreation ? z.union([created, dryRun]) : anything
}
