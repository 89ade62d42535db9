import { isIPv4 } from 'node:net'
import * as z from 'zod'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { keptByName, keptFrom, type Settable } from '../../core/values/attributes.ts'
import { isUuid } from '../../core/values/ids.ts'
import type { Labels } from '../../core/values/labels.ts'
import { otherAttributes, patchFields, requestFields } from '../attributes.ts'
import { parseAttributes } from '../body/attributes.ts'
import { addressable, optional, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import type { BodySchema } from '../route.ts'

const DNS_RULE = 'must be one IPv4 address, or several with commas between'

const addressesOf = (text: string): string[] => text.split(',').map((address) => address.trim())

const dnsField = textField()
  .refine((text) => addressesOf(text).every((address) => isIPv4(address)), { error: DNS_RULE })
  .transform((text) => addressesOf(text).join(','))

const uuidField = z
  .string({ error: 'must be a UUID' })
  .refine(isUuid, { error: 'must be a UUID in lower case with dashes, or left out' })

const OWN = {
  uuid: optional(uuidField),
  name: optional(addressable(textField())),
  dns_nameserver: optional(dnsField),
  cluster_distro: optional(textField()).describe('Kept as given: there is no image service that would know it.'),
}

/** What a request may set of a template, each on its own (magnum-rest.md section 5): null and `""` are "not given". */
export const templateChange = z.object(patchFields(TEMPLATE_ATTRIBUTES, OWN))

/** Attributes of `POST /v1/clustertemplates`. */
const createTemplate = z.object(requestFields(TEMPLATE_ATTRIBUTES, OWN))
export type CreateTemplate = z.output<typeof createTemplate>

const OTHERS = otherAttributes(TEMPLATE_ATTRIBUTES)

export const createTemplateBody: BodySchema<CreateTemplate> = {
  schema: createTemplate,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(createTemplate, body, OTHERS),
}

/** What callers set of a template, under Magnum's names. Labels are null in the answer to the patch that removed them only; stored as none. */
export type TemplateAttributes = Omit<Settable<typeof TEMPLATE_ATTRIBUTES>, 'labels'> & { labels: Labels | null }

/** The fields of a template that its attributes say. */
type TemplateFields = Pick<ClusterTemplate, 'name' | 'spec' | 'public' | 'hidden' | 'tags'>

export const attributesOf = ({ name, spec, public: isPublic, hidden, tags }: TemplateFields): TemplateAttributes => ({
  name,
  ...keptByName(TEMPLATE_ATTRIBUTES, spec),
  public: isPublic,
  hidden,
  tags,
})

export const fieldsOf = (attributes: TemplateAttributes): TemplateFields => {
  const { name, public: isPublic, hidden, tags, labels } = attributes
  const spec = keptFrom(TEMPLATE_ATTRIBUTES, { ...attributes, labels: labels ?? {} })
  return { name, spec, public: isPublic, hidden, tags }
}

/** `base` with what `given` has besides undefined. */
export const overlay = <T extends object>(base: T, given: { readonly [K in keyof T]?: T[K] | undefined }): T =>
  Object.assign({}, base, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)))

/** GB that the storage driver `devicemapper` needs (magnum-rest.md section 5). */
const DEVICEMAPPER_SIZE_MIN = 3

/** Rules over several attributes. A size that is left out is a cluster's to give. @throws InvalidRequest */
export const requireConsistent = (
  attributes: Pick<TemplateAttributes, 'docker_storage_driver' | 'docker_volume_size'>,
): void => {
  const { docker_storage_driver: storage, docker_volume_size: size } = attributes
  if (storage !== 'devicemapper' || size === null || size >= DEVICEMAPPER_SIZE_MIN) return
  throw new InvalidRequest(
    `"docker_volume_size" is ${size}; with "docker_storage_driver" "devicemapper" it must be at least ${DEVICEMAPPER_SIZE_MIN} (GB).`,
  )
}
