import * as z from 'zod'
import { InvalidRequest } from '../../core/errors.ts'
import { KUBECONFIG_ROLES, type KubeconfigRole } from '../../core/values/identity.ts'
import type { Json } from '../../core/values/json.ts'
import { isDnsLabel } from '../../core/values/kubernetes.ts'
import { listInWords } from '../../core/values/wording.ts'
import type { KubeconfigOffer } from '../../drivers/contract/federation-driver-description.ts'
import { parseAttributes } from '../body/attributes.ts'
import { integerField, optional, wordField } from '../body/fields.ts'
import type { BodySchema } from '../route.ts'

const SECONDS_MIN = 600
const SECONDS_MAX = 86_400
const SECONDS_DEFAULT = 3600
const SECONDS_RULE = `must be a number of seconds from ${SECONDS_MIN} to ${SECONDS_MAX}`

/** `?expires_in=`: seconds that the credential lives. */
export const expiresIn = z
  .string()
  .regex(/^[0-9]{1,6}$/, { error: SECONDS_RULE })
  .transform(Number)
  .refine((seconds) => seconds >= SECONDS_MIN && seconds <= SECONDS_MAX, { error: SECONDS_RULE })
  .optional()

const NAMESPACE_RULE =
  'must be the name of a namespace: 1 to 63 lower case letters, digits and "-", with a letter or digit at either end'

const attributes = z.object({
  role: optional(wordField(KUBECONFIG_ROLES)),
  namespace: optional(z.string({ error: NAMESPACE_RULE }).refine(isDnsLabel, { error: NAMESPACE_RULE })),
  expires_in: optional(integerField(SECONDS_MIN, SECONDS_MAX)),
})
type Attributes = z.output<typeof attributes>

/** What a POST says of the kubeconfig that it wants: all of it may be left out. */
export const kubeconfigBody: BodySchema<Attributes> = {
  schema: attributes.optional(),
  bytesMax: 1024,
  parse: (body: Json | undefined) => parseAttributes(attributes, body ?? {}, { ignored: [], readOnly: [] }),
}

/** A kubeconfig as it is asked for. */
export type WantedKubeconfig = { role: KubeconfigRole; namespace?: string; seconds: number }

type Given = { query: { expires_in?: number | undefined }; body?: Attributes | undefined }

/** What a request asks for: without a role everything, as before there were roles. @throws InvalidRequest */
export const wantedKubeconfig = ({ query, body }: Given): WantedKubeconfig => {
  const { role = 'admin', namespace, expires_in } = body ?? {}
  if (query.expires_in !== undefined && expires_in !== undefined) {
    throw new InvalidRequest('"expires_in" is in the query and in the body. Give it once.')
  }
  return {
    role: role as KubeconfigRole,
    ...(namespace === undefined ? {} : { namespace }),
    seconds: query.expires_in ?? expires_in ?? SECONDS_DEFAULT,
  }
}

/**
 * @param who gives it, as the beginning of a sentence
 * @throws InvalidRequest saying what there is instead
 */
export const requireOffered = (
  who: string,
  { roles, namespaceFault }: KubeconfigOffer,
  { role, namespace }: Pick<WantedKubeconfig, 'role' | 'namespace'>,
): void => {
  const scope = namespace === undefined ? 'all' : 'namespace'
  const fault = namespace === undefined ? undefined : namespaceFault?.(namespace)
  if (fault !== undefined) throw new InvalidRequest(fault)
  if (roles[role]?.includes(scope)) return
  const given = Object.entries(roles).flatMap(([name, scopes]) =>
    scopes.map((one) => (one === 'all' ? `${name} of everything` : `${name} of one "namespace"`)),
  )
  throw new InvalidRequest(
    `${who} gives no kubeconfig for ${role} of ${namespace === undefined ? 'everything' : 'one namespace'}, but for ${listInWords(given)}.`,
  )
}
