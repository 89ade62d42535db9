import { isIPv4 } from 'node:net'
import * as z from 'zod'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { isUuid } from '../../core/values/ids.ts'
import { otherAttributes, patchFields, requestFields } from '../attributes.ts'
import { parseAttributes } from '../body/attributes.ts'
import { optional, textField } from '../body/fields.ts'
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
