import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { httpCall, NoWholeAnswer } from '../../functions/http/http-call.ts'
import { CliError, EXIT, usageError } from '../errors.ts'
import type { Cloud, CloudAuth } from './clouds.ts'

/** A token of Keystone, and what came with it (https://docs.openstack.org/api-ref/identity/v3/#password-authentication-with-scoped-authorization). */
export type Issued = {
  token: string
  /** Of fedplane's endpoint in the catalog. */
  endpoint: string | undefined
  user: string
  project: string | undefined
  roles: string[]
}

/** Names of Magnum's service type (https://service-types.openstack.org), newest first. */
const SERVICE_TYPES = ['container-infrastructure-management', 'container-infra', 'container-infrastructure']
const CALL_MS = 30_000
const ANSWER_BYTES_MAX = 4_000_000

const Named = z.object({ id: z.string().optional(), name: z.string().optional() })
const Answer = z.object({
  token: z.object({
    user: Named,
    project: Named.optional(),
    roles: z.array(Named).default([]),
    catalog: z
      .array(
        z.object({
          type: z.string(),
          endpoints: z.array(
            z.object({
              interface: z.string(),
              region: z.string().nullish(),
              region_id: z.string().nullish(),
              url: z.string(),
            }),
          ),
        }),
      )
      .default([]),
  }),
})

const domain = (name: string | undefined, id: string | undefined) => (id ? { id } : { name: name || 'Default' })

const user = (auth: CloudAuth) =>
  auth.user_id
    ? { id: auth.user_id }
    : { name: auth.username, domain: domain(auth.user_domain_name, auth.user_domain_id) }

const identityOf = ({ auth, auth_type: kind = '' }: Cloud) => {
  if (auth.application_credential_secret && (auth.application_credential_id || auth.application_credential_name)) {
    const {
      application_credential_id: id,
      application_credential_name: name,
      application_credential_secret: secret,
    } = auth
    return {
      methods: ['application_credential'],
      application_credential: id ? { id, secret } : { name, secret, user: user(auth) },
    }
  }
  if (auth.token && kind !== 'password') return { methods: ['token'], token: { id: auth.token } }
  if (auth.password && (auth.username || auth.user_id)) {
    return { methods: ['password'], password: { user: { ...user(auth), password: auth.password } } }
  }
  throw usageError(
    'The cloud has neither a password, a token nor an application credential.',
    'An application credential: openstack application credential create fedplane',
  )
}

/** Application credentials have their scope in themselves. */
const scopeOf = ({ auth }: Cloud) => {
  if (auth.application_credential_secret) return {}
  if (auth.project_id) return { scope: { project: { id: auth.project_id } } }
  if (!auth.project_name) return {}
  return {
    scope: { project: { name: auth.project_name, domain: domain(auth.project_domain_name, auth.project_domain_id) } },
  }
}

/** `https://keystone/identity/v3/auth/tokens`, whether or not the version stands in `auth_url`. @throws CliError */
export const tokensUrl = ({ auth }: Cloud): URL => {
  const base = (auth.auth_url ?? '').replace(/\/+$/, '')
  const url = `${/\/v3$/.test(base) ? base : `${base}/v3`}/auth/tokens`
  if (/^https?:/.test(url) && URL.canParse(url)) return new URL(url)
  throw usageError('auth_url of the cloud is no address of a Keystone.', 'https://keystone.example.org/v3')
}

/** The authorities of a cloud's own `cacert`. @throws CliError */
export const caOf = ({ cacert, verify }: Cloud): string | undefined => {
  if (verify === false) {
    throw usageError(
      'The cloud says verify: false, and fedplane sends no password to a server that it can not verify.',
      'cacert: FILE',
    )
  }
  if (!cacert) return undefined
  try {
    return readFileSync(cacert, 'utf8')
  } catch (cause) {
    throw new CliError(`The file ${cacert} of cacert can't be read.`, { cause })
  }
}

const post = async (cloud: Cloud, url: URL, signal: AbortSignal) => {
  try {
    return await httpCall({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ auth: { identity: identityOf(cloud), ...scopeOf(cloud) } }),
      caPem: caOf(cloud),
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
      answerBytesMax: ANSWER_BYTES_MAX,
    })
  } catch (cause) {
    signal.throwIfAborted()
    if (!(cause instanceof NoWholeAnswer)) throw cause
    throw new CliError(`Keystone does not answer: ${cause.message}`, {
      exitCode: EXIT.unreachable,
      remedy: 'auth_url of the cloud, or OS_AUTH_URL',
      cause,
    })
  }
}

/** What Keystone says beside its token; the parser would quote it. @throws CliError */
const parseAnswer = (body: string): z.infer<typeof Answer> => {
  try {
    return Answer.parse(JSON.parse(body))
  } catch (cause) {
    throw new CliError('Keystone answered with something that is no token of Identity v3.', {
      remedy: 'auth_url of the cloud, or OS_AUTH_URL',
      cause,
    })
  }
}

const endpointOf = (
  { region_name: region, interface: wanted = 'public' }: Cloud,
  { token }: z.infer<typeof Answer>,
) => {
  const service = SERVICE_TYPES.map((name) => token.catalog.find(({ type }) => type === name)).find((found) => found)
  const found = service?.endpoints.find(
    (endpoint) =>
      endpoint.interface === wanted.replace(/URL$/, '') &&
      (!region || [endpoint.region, endpoint.region_id].includes(region)),
  )
  return found?.url
}

/** Asks Keystone for a token. @param url of `tokensUrl`. @throws CliError */
export const issueToken = async (cloud: Cloud, url: URL, signal: AbortSignal): Promise<Issued> => {
  const { status, headers, body } = await post(cloud, url, signal)
  const token = headers['x-subject-token']
  if (status !== 201 || typeof token !== 'string') {
    throw new CliError(`Keystone refuses the credential (${status}).`, {
      exitCode: EXIT.denied,
      remedy: 'openstack token issue',
    })
  }
  const answer = parseAnswer(body)
  const { user: who, project, roles } = answer.token
  return {
    token,
    endpoint: cloud.container_infra_endpoint_override ?? endpointOf(cloud, answer),
    user: who.name ?? who.id ?? '',
    project: project?.name ?? project?.id,
    roles: roles.flatMap(({ name }) => name ?? []),
  }
}
