import { isDeepStrictEqual } from 'node:util'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { InvalidRequest, requireSize } from '../../core/errors.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Attributes, AttributeValues } from '../../core/values/attributes.ts'
import { quote } from '../../core/values/wording.ts'
import { RevisionConflict, TemplateInUse } from '../../store/errors.ts'
import { patchable } from '../attributes.ts'
import { parseWith } from '../body/attributes.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import {
  type PatchOperation,
  parsePatch,
  patchSchema,
  requireChangeable,
  requireNotInternal,
} from '../json-patch/patch-operation.ts'
import { applyToTextMap, requireWhole } from '../json-patch/values.ts'
import { isAllowed } from '../policy.ts'
import type { ApiRequest, ApiResponse, BodySchema } from '../route.ts'
import { findTemplate, requireMayChange, requireMayPublish, templateUsers } from './access.ts'
import { showTemplate } from './read-templates.ts'
import {
  attributesOf,
  fieldsOf,
  overlay,
  requireConsistent,
  type TemplateAttributes,
  templateChange,
} from './template.schema.ts'

const ATTRIBUTES: Attributes = TEMPLATE_ATTRIBUTES

const CHANGEABLE = patchable(ATTRIBUTES)

const EXAMPLE = '{"op": "replace", "path": "/name", "value": "new-name"}'

/** Horizon takes `/driver` away with every update of a template, which never has one of its own. */
const isChange = ({ op, path }: PatchOperation): boolean => op !== 'remove' || path !== '/driver'

/** A patch as a list of operations, or as the plain object that openstacksdk sends (magnum-rest.md 13.10). */
export const templatePatchBody: BodySchema<PatchOperation[]> = {
  schema: patchSchema.or(templateChange),
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => {
    const operations = parsePatch(body, { example: EXAMPLE, acceptObject: true, nullRemoves: true }).filter(isChange)
    requireNotInternal(operations)
    return operations
  },
}

/** Booleans get their defaults back; everything else becomes null. */
const removed = (before: TemplateAttributes, { path, attribute: name }: PatchOperation): TemplateAttributes => {
  const attribute = ATTRIBUTES[name]
  if (attribute?.patch !== 'remove') {
    throw new InvalidRequest(`${quote(path)} can't be removed. Use "replace" to give it another value.`)
  }
  return { ...before, [name]: attribute.type === 'boolean' ? (attribute.default ?? null) : null }
}

const isSet = (attributes: AttributeValues, attribute: string): boolean => attributes[attribute] !== null

const withLabels = (before: TemplateAttributes, operation: PatchOperation): TemplateAttributes => {
  const labels = applyToTextMap(before.labels, operation)
  return labels === null ? { ...before, labels } : overlay(before, parseWith(templateChange, { labels }))
}

const applyOperation = (before: TemplateAttributes, operation: PatchOperation): TemplateAttributes => {
  const { op, path, attribute, value } = operation
  if (attribute === 'labels') return withLabels(before, operation)
  requireWhole(operation)
  if (op === 'remove') return removed(before, operation)
  if (op === 'add' && isSet(before, attribute)) {
    throw new InvalidRequest(`${quote(path)} is set already: use "replace" instead of "add".`)
  }
  if (value === '') throw new InvalidRequest(`The value of ${quote(path)} is empty. To unset it, use "remove".`)
  return overlay(before, parseWith(templateChange, { [attribute]: value }))
}

/**
 * Attributes after the operations, one after the other (magnum-rest.md 9.1).
 *
 * @throws InvalidRequest, RequestTooLarge
 */
export const applyTemplatePatch = (
  before: TemplateAttributes,
  operations: readonly PatchOperation[],
): TemplateAttributes => {
  requireChangeable(operations, CHANGEABLE)
  const after = operations.reduce(applyOperation, before)
  requireConsistent(after)
  requireSize('labels', after.labels ?? {}, { before: before.labels ?? {} })
  return after
}

/** Attributes that really differ; labels that were removed are the same as none. */
export const changedAttributes = (before: TemplateAttributes, after: TemplateAttributes): string[] => {
  const now: AttributeValues = { ...after, labels: after.labels ?? {} }
  return Object.entries(before).flatMap(([name, value]) => (isDeepStrictEqual(value, now[name]) ? [] : [name]))
}

type Request = ApiRequest<unknown, PatchOperation[]>

/** What may change while clusters use the template, each alone: nothing that they were made from (magnum-rest.md section 5). */
const isFineInUse = (changed: readonly string[], after: TemplateAttributes): boolean => {
  const [only, ...others] = changed
  if (only === undefined || others.length > 0) return false
  const attributes: Attributes = TEMPLATE_ATTRIBUTES
  return attributes[only]?.inUse === true && (only !== 'public' || after.public)
}

/** A patch that changes nothing is refused too, as in Magnum (magnum-rest.md 13.9). */
const refuseInUse = async (
  request: Request,
  template: ClusterTemplate,
  changed: readonly string[],
): Promise<InvalidRequest> => {
  const what = changed.length === 0 ? 'This patch changes nothing. ' : ''
  const open = isAllowed(request, 'clustertemplate:publish')
    ? 'one of "name", "hidden", "tags" and "public" (to true)'
    : 'either "name" or "tags"'
  return new InvalidRequest(
    `Cluster template ${quote(template.name ?? template.id)} is used by ${await templateUsers(request, template)}. ${what}Of a template in use ${open} can be changed per request. For other changes create a new template, and upgrade the clusters to it.`,
  )
}

const commitChange = async (request: Request, read: ClusterTemplate, written: ClusterTemplate, unlessUsed: boolean) => {
  const { templates, commit } = request.ports.stores
  const { name, spec, public: isPublic, hidden, tags, updatedAt } = written
  try {
    await commit([templates.change(read, { name, spec, public: isPublic, hidden, tags, updatedAt }, { unlessUsed })])
  } catch (error) {
    // A cluster was made from it meanwhile: read again, and name it.
    if (error instanceof TemplateInUse) throw new RevisionConflict(error.message, { cause: error })
    throw error
  }
}

/** Reads, decides, commits. */
const decide = async (request: Request): Promise<{ template: ClusterTemplate; attributes: TemplateAttributes }> => {
  const found = await findTemplate(request, request.params.clustertemplate ?? '', 'clustertemplate:update_all_projects')
  requireMayChange(request, found, 'update')
  const { template } = found
  const before = attributesOf(template)
  const attributes = applyTemplatePatch(before, request.body)
  requireMayPublish(request, attributes, before)
  const changed = changedAttributes(before, attributes)
  const isFine = isFineInUse(changed, attributes)
  if (template.clusterCount > 0 && !isFine) throw await refuseInUse(request, template, changed)
  if (changed.length === 0) return { template, attributes }
  const written = { ...template, ...fieldsOf(attributes), updatedAt: request.ports.clock.now().toISOString() }
  await commitChange(request, template, written, !isFine)
  return { template: written, attributes }
}

/**
 * `PATCH /v1/clustertemplates/{clustertemplate}` → 200 with the whole template (magnum-rest.md section 5, 9.1). Labels that were removed
 * are null in this answer, and `{}` in later ones.
 */
export const patchTemplate = async (request: Request): Promise<ApiResponse> => {
  const { template, attributes } = await retryOnConflict(() => decide(request))
  return { status: 200, body: { ...showTemplate(template, request), labels: attributes.labels } }
}

/** Says what to do; hiding is advised to those who may, and only for what it does. */
const refuseDeletion = async (request: ApiRequest, template: ClusterTemplate): Promise<InvalidRequest> => {
  const users = await templateUsers(request, template)
  const hiding = isAllowed(request, 'clustertemplate:publish')
    ? ' Until then "hidden" keeps all but administrators from making more clusters from it.'
    : ''
  return new InvalidRequest(
    `Cluster template ${quote(template.name ?? template.id)} can't be deleted: it is used by ${users}. Delete these clusters, or upgrade them to another template, and try again.${hiding}`,
  )
}

const removeOnce = async (request: ApiRequest): Promise<void> => {
  const { templates, commit } = request.ports.stores
  const found = await findTemplate(request, request.params.clustertemplate ?? '', 'clustertemplate:delete_all_projects')
  requireMayChange(request, found, 'delete')
  const { template } = found
  if (template.clusterCount > 0) {
    throw await refuseDeletion(request, template)
  }
  try {
    await commit([templates.remove(template)])
  } catch (error) {
    // A cluster was made from it meanwhile: read again, and name it.
    if (error instanceof TemplateInUse) throw new RevisionConflict(error.message, { cause: error })
    throw error
  }
}

/** `DELETE /v1/clustertemplates/{clustertemplate}` → 204; 400 while clusters use it (magnum-rest.md section 5). */
export const deleteTemplate = async (request: ApiRequest): Promise<ApiResponse> => {
  await retryOnConflict(() => removeOnce(request))
  return { status: 204 }
}
