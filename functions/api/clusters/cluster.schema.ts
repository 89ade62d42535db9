import * as z from 'zod'
import type { JsonObject } from '../../core/values/json.ts'
import { parseAttributes } from '../body/attributes.ts'
import { booleanField, integerField, labelsField, nameField, optional, textField } from '../body/fields.ts'
import { KUBECONFIG_BODY_BYTES_MAX } from '../body/read-body.ts'
import type { BodySchema } from '../route.ts'
import { isEmptyKubeconfig, KUBECONFIG_RULE } from './kubeconfig-value.ts'
import type { RegistrationAttribute } from './registration-attributes.ts'
import { MANAGEMENT_RULE } from './take-management.ts'

const emptyAsAbsent = (value: unknown): unknown => (value === '' ? undefined : value)

/** Text, or the same as a JSON object; null is absent, and `""` is not, because it is what a script sends whose file was empty. */
const kubeconfigField = z.preprocess(
  (value) => value ?? undefined,
  z
    .custom<string | JsonObject>(
      (value) => typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value)),
      { error: `must be ${KUBECONFIG_RULE}` },
    )
    .refine((value) => !isEmptyKubeconfig(value), { error: `is empty; it must be ${KUBECONFIG_RULE}` })
    .optional(),
)

/** An object of a driver's fields; which there are, and what they are like, the driver says. */
const objectField = (rule: string) =>
  z.preprocess(
    (value) => value ?? undefined,
    z
      .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
        error: rule,
      })
      .optional(),
  )

/** What a driver registers a cluster by. */
const registrationField = objectField('must be an object of texts')

const registrationFields: Readonly<Record<RegistrationAttribute, typeof registrationField>> = {
  eks: registrationField.meta({
    description: 'An Amazon EKS cluster: name and region, and optionally role_arn and external_id.',
    type: 'object',
    additionalProperties: { type: 'string' },
  }),
}

/** Attributes of `POST /v1/clusters`: Magnum's (magnum-rest.md 4.1) and, from `driver` on, ours. */
export const createCluster = z.object({
  name: optional(nameField),
  /** Null is not the same as absent: it names a template that does not exist (magnum-rest.md 13.7). */
  cluster_template_id: z.preprocess(emptyAsAbsent, textField().nullable().optional()),
  keypair: optional(textField()),
  node_count: optional(integerField(0)),
  master_count: optional(integerField(1)),
  /** Minutes. Null is kept. */
  create_timeout: z.preprocess(emptyAsAbsent, integerField(0).nullable().optional()),
  discovery_url: optional(textField(2048)),
  docker_volume_size: optional(integerField(1)),
  labels: optional(labelsField),
  merge_labels: optional(booleanField),
  flavor_id: optional(textField()),
  master_flavor_id: optional(textField()),
  fixed_network: optional(textField()),
  fixed_subnet: optional(textField()),
  floating_ip_enabled: optional(booleanField),
  master_lb_enabled: optional(booleanField),
  driver: optional(textField()),
  kubeconfig: kubeconfigField,
  /** Which context of the kubeconfig; default its `current-context`. */
  context: optional(textField(1024)),
  insecure_skip_tls_verify: optional(booleanField),
  /** The API server's address as other clusters reach it. */
  server_for_peers: optional(textField(2048)),
  ...registrationFields,
  /** Makes the registered cluster a management cluster: for administrators. */
  management: objectField(MANAGEMENT_RULE).meta({
    description:
      'Makes the registered cluster a management cluster, through which others are made: driver, default, and what the driver asks for. For administrators.',
    type: 'object',
    properties: { driver: { type: 'string' }, default: { type: 'boolean' } },
    additionalProperties: { type: 'string' },
  }),
})
export type CreateCluster = z.output<typeof createCluster>

const OTHERS = {
  ignored: [
    'uuid',
    'status',
    'status_reason',
    'faults',
    'labels_overridden',
    'labels_added',
    'labels_skipped',
    'health_status',
    'health_status_reason',
  ],
  readOnly: [
    'stack_id',
    'cluster_id',
    'api_address',
    'coe_version',
    'container_version',
    'node_addresses',
    'master_addresses',
    'project_id',
    'user_id',
    'links',
    'created_at',
    'updated_at',
  ],
}

export const createClusterBody: BodySchema<CreateCluster> = {
  schema: createCluster,
  bytesMax: KUBECONFIG_BODY_BYTES_MAX,
  parse: (body) => parseAttributes(createCluster, body, OTHERS),
}
