import { isIPv4 } from 'node:net'
import * as z from 'zod'
import { NETWORK_DRIVERS, SERVER_TYPES } from '../../core/cluster/cluster-template.ts'
import { isUuid } from '../../core/values/ids.ts'
import { parseAttributes } from '../body/attributes.ts'
import { booleanField, integerField, labelsField, optional, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import type { BodySchema } from '../route.ts'

const wordField = <const W extends readonly [string, ...string[]]>(words: W) =>
  z.enum(words, {
    error: `must be ${words.map((word) => `"${word}"`).join(' or ')}`,
  })

const DNS_RULE = 'must be one IPv4 address, or several with commas between'

const addressesOf = (text: string): string[] => text.split(',').map((address) => address.trim())

const dnsField = textField()
  .refine((text) => addressesOf(text).every((address) => isIPv4(address)), { error: DNS_RULE })
  .transform((text) => addressesOf(text).join(','))

const coeField = wordField(['kubernetes'])

const uuidField = z
  .string({ error: 'must be a UUID' })
  .refine(isUuid, { error: 'must be a UUID in lower case with dashes, or left out' })

/** What a request may set of a template, each on its own (magnum-rest.md section 5): null and `""` are "not given". */
export const templateChange = z.object({
  name: optional(textField()),
  coe: optional(coeField),
  image_id: optional(textField()),
  flavor_id: optional(textField()),
  master_flavor_id: optional(textField()),
  keypair_id: optional(textField()),
  external_network_id: optional(textField()),
  fixed_network: optional(textField()),
  fixed_subnet: optional(textField()),
  network_driver: optional(wordField(NETWORK_DRIVERS)),
  volume_driver: optional(wordField(['cinder'])),
  dns_nameserver: optional(dnsField),
  apiserver_port: optional(integerField(1024, 65_535)),
  docker_volume_size: optional(integerField(1)),
  docker_storage_driver: optional(textField()),
  labels: optional(labelsField),
  server_type: optional(wordField(SERVER_TYPES)),
  /** Magnum takes it from the image. There is no image service here, so what the caller gives is kept. */
  cluster_distro: optional(textField()).describe('Kept as given: there is no image service that would know it.'),
  registry_enabled: optional(booleanField),
  insecure_registry: optional(textField()),
  tls_disabled: optional(booleanField),
  master_lb_enabled: optional(booleanField),
  floating_ip_enabled: optional(booleanField),
  http_proxy: optional(textField()),
  https_proxy: optional(textField()),
  no_proxy: optional(textField()),
  public: optional(booleanField),
  hidden: optional(booleanField),
  tags: optional(textField()),
})

/** Attributes of `POST /v1/clustertemplates`. */
export const createTemplate = templateChange.extend({
  uuid: optional(uuidField),
  coe: coeField,
  image_id: textField(),
  driver: optional(textField()),
})
export type CreateTemplate = z.output<typeof createTemplate>

const OTHERS = { ignored: [], readOnly: ['project_id', 'user_id', 'links', 'created_at', 'updated_at'] }

export const createTemplateBody: BodySchema<CreateTemplate> = {
  schema: createTemplate,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(createTemplate, body, OTHERS),
}
