import * as z from 'zod'
import { type MemberCredential, operationOf } from '../../../core/membership/membership.ts'
import { shortId } from '../../../core/values/ids.ts'
import type { ObjectRef } from '../../../core/values/object-ref.ts'
import { Secret } from '../../../core/values/secret.ts'
import type { KubernetesClient, KubernetesObject } from '../../../kubernetes/client.ts'
import { NotKubernetes } from '../../../kubernetes/errors.ts'
import type { Manifest, Review } from '../../../kubernetes/manifest.ts'
import { secrets } from '../../../kubernetes/resources.ts'
import { TokenTooShortLived } from '../../contract/errors.ts'
import type { MemberContext } from '../../contract/federation-driver.ts'
import { federationSelector, isTerminating, listAll, ownerLabels, removeAllOwned, type Site } from '../owned.ts'

/** A day: long enough for a renewal to fail for hours, short enough for a leaked token to die soon. The server may shorten it. */
const EXPIRATION_SECONDS = 86_400

/** Some installations give a year whatever is asked for, for old clients; it is counted as two days. */
const LIFE_SECONDS_MAX = 2 * EXPIRATION_SECONDS

/** Kubernetes gives no shorter ones: such a token would have to be renewed for ever. */
const LIFE_SECONDS_MIN = 600

/** Characters; a token of a ServiceAccount has some 1,000. */
const TOKEN_MAX = 16 * 1024

const TokenRequest = z.object({
  status: z.object({ token: z.string().min(1).max(TOKEN_MAX), expirationTimestamp: z.string().max(64) }),
})

type Life = { begins: number; ends: number }

/**
 * From now to the end that the member says. What lives longer than was asked for is renewed as if it did not.
 *
 * @throws TokenTooShortLived also for an end that is no moment
 */
const lifeOf = (now: string, expirationTimestamp: string): Life => {
  const begins = new Date(now).getTime()
  const ends = Date.parse(expirationTimestamp)
  if (ends - begins >= LIFE_SECONDS_MIN * 1000)
    return { begins, ends: Math.min(ends, begins + LIFE_SECONDS_MAX * 1000) }
  const life = Number.isNaN(ends)
    ? 'tells no end of it that is a moment'
    : `lets it end at ${new Date(ends).toISOString()}`
  throw new TokenTooShortLived(
    `The member gave a token for our ServiceAccount (TokenRequest) and ${life}; it is ${now} here. A token must live for ${LIFE_SECONDS_MIN / 60} minutes at least. ` +
      "Compare the clocks of the cluster and of this service, and check the API server's --service-account-max-token-expiration.",
  )
}

/**
 * Mints a token for a ServiceAccount (TokenRequest API). Renewal is due after two thirds of its life.
 *
 * @throws TokenTooShortLived, NotKubernetes
 */
export const requestToken = async (
  client: KubernetesClient,
  { namespace, account }: { namespace: string; account: string },
  now: string,
): Promise<MemberCredential & { token: Secret }> => {
  const answer = await client.post(`/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: EXPIRATION_SECONDS },
  } satisfies Review<'TokenRequest'>)
  const request = TokenRequest.safeParse(answer)
  if (!request.success) {
    throw new NotKubernetes('The member answered a TokenRequest in a form that no Kubernetes API server has.')
  }
  const { token, expirationTimestamp } = request.data.status
  const { begins, ends } = lifeOf(now, expirationTimestamp)
  return {
    kind: 'token-request',
    expiresAt: new Date(ends).toISOString(),
    renewAfter: new Date(begins + ((ends - begins) * 2) / 3).toISOString(),
    token: new Secret(token),
  }
}

const NO_NAMES: ReadonlySet<string> = new Set()

const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token'
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name'

/** Characters in base64; a token of a ServiceAccount has some 1,400. */
const SECRET_TOKEN_MAX = 24 * 1024

const Data = z.object({ data: z.object({ token: z.string().min(1).max(SECRET_TOKEN_MAX) }) })

/** A Secret that the member's token controller fills for one of our ServiceAccounts. */
export const tokenSecretManifest = (federationId: string, name: string, account: string): Manifest<'Secret'> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: memberObjectName(federationId),
    labels: ownerLabels(federationId),
    annotations: { [ACCOUNT_ANNOTATION]: account },
  },
  type: TOKEN_SECRET_TYPE,
})

/** The token, once the token controller has filled it in. */
export const tokenIn = (secret: KubernetesObject): Secret | undefined => {
  const parsed = Data.safeParse(secret)
  return parsed.success ? new Secret(Buffer.from(parsed.data.data.token, 'base64').toString('utf8')) : undefined
}

/** Labels are copied by others, names are not: that of the account, with the short id of a rotation behind it. */
const isNamedAsOurs = ({ metadata }: KubernetesObject): boolean => {
  const account = metadata.annotations?.[ACCOUNT_ANNOTATION] ?? ''
  return (
    metadata.name === account ||
    (metadata.name.length === account.length + 11 && metadata.name.startsWith(`${account}-`))
  )
}

/** Our token Secrets in the member, of all our accounts, sorted by name. */
export const tokenSecrets = async (site: Site): Promise<KubernetesObject[]> => {
  const namespace = memberObjectName(site.federationId)
  const found = await listAll(site.client, secrets(namespace), federationSelector(site.federationId))
  return found
    .filter((secret) => secret.type === TOKEN_SECRET_TYPE && isNamedAsOurs(secret))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

const isOf = (secret: KubernetesObject, account: string): boolean =>
  secret.metadata.annotations?.[ACCOUNT_ANNOTATION] === account

/**
 * Name of the token Secret to use for an account: one of its own for each rotation, so that the old token works until the new one is
 * published; otherwise whichever is there already.
 */
export const tokenSecretName = (
  context: MemberContext,
  existing: readonly KubernetesObject[],
  account: string,
): string => {
  const operation = operationOf(context.membership)
  if (operation?.kind === 'rotate') return `${account}-${shortId(operation.id)}`
  return existing.find((secret) => isOf(secret, account) && !isTerminating(secret))?.metadata.name ?? account
}

/** Of what was made for a member: the token Secrets of our accounts there, but for those named. */
export const tokensMade = ({ federation, membership }: MemberContext, current: ReadonlySet<string> = NO_NAMES) =>
  membership.made.filter(
    ({ where, kind, namespace, name }): boolean =>
      where === 'member' && kind === 'Secret' && namespace === memberObjectName(federation.id) && !current.has(name),
  )

/**
 * Removes the token Secrets of these accounts of before this rotation, and so revokes their tokens.
 *
 * @returns those that were made for the member and are gone now
 */
export const removeOlderTokens = async (context: MemberContext, accounts: readonly string[]): Promise<ObjectRef[]> => {
  const site: Site = { client: await context.member.client(), where: 'member', federationId: context.federation.id }
  const existing = await tokenSecrets(site)
  const current = new Set(accounts.map((account) => tokenSecretName(context, existing, account)))
  await removeAllOwned(
    site,
    existing
      .filter((secret) => !current.has(secret.metadata.name))
      .map((object) => ({ resource: secrets(memberObjectName(site.federationId)), object })),
  )
  return tokensMade(context, current)
}

/** Our namespace in a member, and what is in it or bound to it, unless a driver says otherwise. */
export const memberObjectName = (federationId: string): string => `fedplane-${shortId(federationId)}`
