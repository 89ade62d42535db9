import * as z from 'zod'
import { operationOf } from '../../../core/membership/membership.ts'
import { shortId } from '../../../core/values/ids.ts'
import { Secret } from '../../../core/values/secret.ts'
import type { KubernetesObject } from '../../../kubernetes/client.ts'
import type { Manifest } from '../../../kubernetes/manifest.ts'
import { secrets } from '../../../kubernetes/resources.ts'
import type { MemberContext } from '../../contract/federation-driver.ts'
import { federationSelector, isTerminating, listAll, ownerLabels, removeAllOwned, type Site } from '../owned.ts'
import { memberObjectName } from './names.ts'

const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token'
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name'

/** Characters in base64; a token of a ServiceAccount has some 1,400. */
const TOKEN_MAX = 24 * 1024

const Data = z.object({ data: z.object({ token: z.string().min(1).max(TOKEN_MAX) }) })

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

/** Our token Secrets in the member, of all our accounts, sorted by name. */
export const tokenSecrets = async (site: Site): Promise<KubernetesObject[]> => {
  const namespace = memberObjectName(site.federationId)
  const found = await listAll(site.client, secrets(namespace), federationSelector(site.federationId))
  return found
    .filter((secret) => secret.type === TOKEN_SECRET_TYPE)
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

/** Removes the token Secrets of these accounts of before this rotation, and so revokes their tokens. */
export const removeOlderTokens = async (context: MemberContext, accounts: readonly string[]): Promise<void> => {
  const site: Site = { client: await context.member.client(), where: 'member', federationId: context.federation.id }
  const existing = await tokenSecrets(site)
  const current = new Set(accounts.map((account) => tokenSecretName(context, existing, account)))
  await removeAllOwned(
    site,
    existing
      .filter((secret) => !current.has(secret.metadata.name))
      .map((object) => ({ resource: secrets(memberObjectName(site.federationId)), object })),
  )
}
