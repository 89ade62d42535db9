import * as z from 'zod'
import { InvalidRequest } from '../../core/errors.ts'
import type { Json } from '../../core/values/json.ts'
import { quote } from '../../core/values/wording.ts'
import { isObject, parseAttributes } from '../body/attributes.ts'
import { booleanField, nameField, optional, sizeNote, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import { CLUSTER_OTHERS, createCluster } from '../clusters/cluster.schema.ts'
import { type PatchOperation, parsePatch, patchSchema, requireChangeable } from '../json-patch/patch-operation.ts'
import { applyToTextMap, type TextMap, textValue } from '../json-patch/values.ts'
import type { BodySchema } from '../route.ts'
import {
  healthPolicyFields,
  POLICY_ATTRIBUTES,
  policyOfCreate,
  policyOfPatch,
  type WantedPolicy,
} from './health-policy.schema.ts'
import { memberSelector, readSelector, type WantedSelector } from './selector.schema.ts'

const PROPERTIES_RULE = 'must be an object of texts'

/** Text to text; `null` is the same as absent. */
const propertiesField = z
  .record(
    z
      .string()
      .min(1, { error: 'must not have an empty key' })
      .max(255, { error: 'must have a key of at most 255 characters' }),
    z.string({ error: 'must be text' }),
    { error: PROPERTIES_RULE },
  )
  .meta({ description: sizeNote('properties') })

const MEMBERS_RULE = 'must be a list of cluster ids or names'

const HOST_RULE = 'must be the id or name of the cluster that hosts the federation'

/** A host that is created with the federation: attributes of `POST /v1/clusters`, without those that register one that is there. */
const newHost = createCluster
  .omit({
    eks: true,
    driver: true,
    kubeconfig: true,
    context: true,
    insecure_skip_tls_verify: true,
    server_for_peers: true,
    management: true,
  })
  .extend({
    cluster_template_id: textField(),
    keep: optional(booleanField).meta({ description: 'Keeps the cluster when the federation goes. Default false.' }),
  })
export type NewHostAttributes = z.output<typeof newHost>

/** Attributes of `POST /v1/federations` (magnum-rest.md 8.2), `driver`, and `host` in place of `hostcluster_id`. */
const createFederation = z.object({
  name: optional(nameField),
  hostcluster_id: z
    .string({ error: HOST_RULE })
    .min(1, { error: `${HOST_RULE}, not empty` })
    .max(255, { error: 'must be the id or name of a cluster, at most 255 characters' })
    .optional(),
  host: newHost.optional().meta({ description: 'Creates the host cluster, in place of `hostcluster_id`.' }),
  member_ids: optional(z.array(textField(), { error: MEMBERS_RULE })),
  driver: optional(textField()),
  properties: optional(propertiesField),
  member_selector: optional(memberSelector).meta({
    description: 'Clusters of the project that become members by themselves.',
  }),
  ...healthPolicyFields,
})
type FederationAttributes = z.output<typeof createFederation>

/** A request with a host that is there, or with one to be created. */
export type CreateFederation = Omit<
  FederationAttributes,
  'host' | 'hostcluster_id' | 'member_selector' | keyof typeof healthPolicyFields
> & {
  host: string | NewHostAttributes
  selector: WantedSelector | null
  /** Null: the default one. */
  health: WantedPolicy | null
}

const OTHERS = {
  ignored: ['uuid', 'status', 'status_reason'],
  readOnly: ['links', 'created_at', 'updated_at'],
}

/** As the body: each fault of it is named, with where it is. @throws InvalidRequest */
const parseHost = (host: Json): NewHostAttributes => {
  try {
    return parseAttributes(newHost, host, CLUSTER_OTHERS, 'it')
  } catch (error) {
    throw error instanceof InvalidRequest ? new InvalidRequest(`In "host": ${error.message}`) : error
  }
}

/** @throws InvalidRequest for none, and for two */
const requireOneHost = (id: string | undefined, host: NewHostAttributes | undefined): string | NewHostAttributes => {
  if (id !== undefined && host !== undefined) {
    throw new InvalidRequest(
      '"hostcluster_id" names a host that is there, and "host" creates one. Give exactly one of them.',
    )
  }
  const given = id ?? host
  if (given !== undefined) return given
  throw new InvalidRequest(
    `"hostcluster_id" is missing: it ${HOST_RULE}. To create that cluster, too, give "host": {"cluster_template_id": "<template>"} in its place.`,
  )
}

const parseCreate = (body: Json | undefined): CreateFederation => {
  const { host, member_selector: selector, ...others } = isObject(body) ? body : {}
  const rest = parseAttributes(createFederation, isObject(body) ? others : body, OTHERS)
  const { hostcluster_id: id, host: _, member_selector: __, ...attributes } = rest
  const created = host === undefined || host === null ? undefined : parseHost(host)
  return {
    ...attributes,
    host: requireOneHost(id, created),
    selector: selector == null ? null : readSelector(selector),
    health: policyOfCreate(rest),
  }
}

export const createFederationBody: BodySchema<CreateFederation> = {
  schema: createFederation,
  bytesMax: BODY_BYTES_MAX,
  parse: parseCreate,
}

/** Which clusters, by id or name: to add and to remove, or exactly these. */
export type DesiredMember = { add: string[]; remove: string[] } | { exactly: string[] }

/** What a PATCH of a federation asks for (magnum-rest.md 8.3 and 8.5, design section 2). */
export type FederationPatch = {
  /** In order; null when properties are not mentioned. */
  properties: PatchOperation[] | null
  members: DesiredMember | null
  /** Null: it is taken away; undefined: it is not mentioned. */
  selector: WantedSelector | null | undefined
  /** Undefined: it is not mentioned. */
  health: WantedPolicy | undefined
}

const CHANGEABLE = ['member_ids', 'member_selector', 'properties', ...POLICY_ATTRIBUTES]

const EXAMPLE = '{"op": "add", "path": "/member_ids", "value": "<cluster id or name>"}'

const REMOVE_EXAMPLE = '{"op": "remove", "path": "/member_ids", "value": "<cluster id or name>"}'

const identsOf = ({ op, path, value }: PatchOperation): string[] => {
  const list = Array.isArray(value) ? value : [value]
  const idents = list.filter((ident): ident is string => typeof ident === 'string' && ident !== '')
  if (idents.length === list.length) return idents
  throw new InvalidRequest(`The value of ${op} ${quote(path)} must be the id or name of a cluster, or a list of them.`)
}

/** `add /member_ids/-` and `/member_ids/0` are `add /member_ids`: members have no order. */
const isIndex = ([first, ...more]: readonly string[]): boolean =>
  more.length === 0 && /^(?:-|[0-9]+)$/.test(first ?? '')

const requireMembersPath = ({ op, path, rest, value }: PatchOperation): void => {
  const whole = rest.length === 0
  if (op === 'remove' && (!whole || value === undefined)) {
    throw new InvalidRequest(
      `To unjoin clusters say which: ${REMOVE_EXAMPLE}. All members, or one by its index, can't be removed.`,
    )
  }
  if (op === 'replace' && (!whole || !Array.isArray(value))) {
    throw new InvalidRequest(
      '"replace" works on "/member_ids" as a whole, with a list of the clusters that are to be members.',
    )
  }
  if (!whole && !isIndex(rest)) throw new InvalidRequest(`There is no ${quote(path)}: "/member_ids" is a list.`)
}

/** One spelt in two ways is found once the names are resolved. */
const requireOneWay = (add: readonly string[], remove: readonly string[]): void => {
  const both = add.find((ident) => remove.includes(ident))
  if (both === undefined) return
  throw new InvalidRequest(`Cluster ${quote(both)} is both added and removed. Do one of them.`)
}

const readMembers = (operations: readonly PatchOperation[]): DesiredMember | null => {
  if (operations.length === 0) return null
  for (const operation of operations) requireMembersPath(operation)
  const of = (op: PatchOperation['op']): string[] => operations.filter((one) => one.op === op).flatMap(identsOf)
  if (!operations.some(({ op }) => op === 'replace')) {
    const desired = { add: of('add'), remove: of('remove') }
    requireOneWay(desired.add, desired.remove)
    return desired
  }
  if (operations.length > 1) {
    throw new InvalidRequest(
      '"replace /member_ids" names all members, so it can\'t stand beside other changes of "/member_ids".',
    )
  }
  return { exactly: of('replace') }
}

/** It stands alone: what it brings joins later, one by one. */
const selectorOf = (operations: readonly PatchOperation[]): WantedSelector | null | undefined => {
  const operation = operations.find(({ attribute }) => attribute === 'member_selector')
  if (operation === undefined) return undefined
  if (operations.length > 1 || operation.rest.length > 0) {
    throw new InvalidRequest(
      '"/member_selector" is replaced or removed as a whole, in a request of its own: [{"op": "replace", "path": "/member_selector", "value": {"labels": "env=prod"}}].',
    )
  }
  return operation.op === 'remove' ? null : readSelector(operation.value ?? null)
}

/** Sorts operations by what they change. @throws InvalidRequest */
const readFederationPatch = (operations: readonly PatchOperation[]): FederationPatch => {
  requireChangeable(operations, CHANGEABLE)
  const of = (attribute: string): PatchOperation[] => operations.filter((one) => one.attribute === attribute)
  const properties = of('properties')
  return {
    properties: properties.length === 0 ? null : properties,
    members: readMembers(of('member_ids')),
    selector: selectorOf(operations),
    health: policyOfPatch(operations),
  }
}

export const federationPatchBody: BodySchema<FederationPatch> = {
  schema: patchSchema,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => readFederationPatch(parsePatch(body, { example: EXAMPLE })),
}

/** Of a single key only text is taken: a property that a driver reads as a number is still written as text (magnum-rest.md 8.2). */
const applyOne = (before: TextMap, operation: PatchOperation): TextMap => {
  if (operation.rest.length > 0 && operation.op !== 'remove') textValue(operation)
  return applyToTextMap(before, operation) ?? {}
}

/** The properties after the operations, one after the other (magnum-rest.md 8.3, 9.1). @throws InvalidRequest */
export const applyProperties = (properties: TextMap, operations: readonly PatchOperation[]): TextMap =>
  operations.reduce(applyOne, properties)
