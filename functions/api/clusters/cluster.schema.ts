import * as z from 'zod'
import { CLUSTER_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { otherAttributes, requestFields } from '../attributes.ts'
import { parseAttributes } from '../body/attributes.ts'
import { nameField, optional } from '../body/fields.ts'
import { KUBECONFIG_BODY_BYTES_MAX } from '../body/read-body.ts'
import type { BodySchema } from '../route.ts'
import { MANAGEMENT_RULE, type RegistrationAttribute } from './registration.ts'

/** What a kubeconfig in a request is, to complete a sentence. What is in it is checked by the intake. */
export const KUBECONFIG_RULE = 'a kubeconfig as text (YAML or JSON) or as an object'

/** Nothing in it: a fault of its own, because the file was empty, not wrong. */
export const isEmptyKubeconfig = (value: string | JsonObject): boolean =>
  typeof value === 'string' ? value.trim() === '' : Object.keys(value).length === 0

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

const managementField = objectField(MANAGEMENT_RULE).meta({
  description:
    'Makes the registered cluster a management cluster, through which others are made: driver, default, and what the driver asks for. For administrators.',
  type: 'object',
  properties: { driver: { type: 'string' }, default: { type: 'boolean' } },
  additionalProperties: { type: 'string' },
})

/** Attributes of `POST /v1/clusters` (magnum-rest.md 4.1). */
export const createCluster = z.object(
  requestFields(CLUSTER_ATTRIBUTES, {
    name: optional(nameField),
    kubeconfig: kubeconfigField,
    management: managementField,
    ...registrationFields,
  }),
)
export type CreateCluster = z.output<typeof createCluster>

/** Magnum's other attributes of clusters. */
export const CLUSTER_OTHERS = otherAttributes(CLUSTER_ATTRIBUTES)

export const createClusterBody: BodySchema<CreateCluster> = {
  schema: createCluster,
  bytesMax: KUBECONFIG_BODY_BYTES_MAX,
  parse: (body) => parseAttributes(createCluster, body, CLUSTER_OTHERS),
}
