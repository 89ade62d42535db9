import * as z from 'zod'
import { shortId } from '../../../../../domain/ids.ts'
import { operationOf } from '../../../../../domain/membership.ts'
import { Secret } from '../../../../../domain/secret.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { MemberContext } from '../../../../contract/federation-driver.ts'
import { isTerminating, listAll, ownerLabels, removeAllOwned, type Site } from '../../../../support/owned.ts'
import { federationSelector, memberObjectName } from '../names.ts'

const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token'

const Data = z.object({ data: z.object({ token: z.string().min(1) }) })

/** A Secret that the member's token controller fills for our ServiceAccount. */
export const tokenSecretManifest = (federationId: string, name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: memberObjectName(federationId),
    labels: ownerLabels(federationId),
    annotations: { 'kubernetes.io/service-account.name': memberObjectName(federationId) },
  },
  type: TOKEN_SECRET_TYPE,
})

/** The token, once the token controller has filled it in. */
export const tokenIn = (secret: KubernetesObject): Secret | undefined => {
  const parsed = Data.safeParse(secret)
  return parsed.success ? new Secret(Buffer.from(parsed.data.data.token, 'base64').toString('utf8')) : undefined
}

/** Our token Secrets in the member, sorted by name. */
export const tokenSecrets = async (site: Site): Promise<KubernetesObject[]> => {
  const namespace = memberObjectName(site.federationId)
  const found = await listAll(site.client, secrets(namespace), federationSelector(site.federationId))
  return found
    .filter((secret) => secret.type === TOKEN_SECRET_TYPE)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

/**
 * Name of the token Secret to use: one of its own for each rotation, so that the old token works until the new one is published;
 * otherwise whichever is there already.
 */
export const tokenSecretName = (context: MemberContext, existing: readonly KubernetesObject[]): string => {
  const base = memberObjectName(context.federation.id)
  const operation = operationOf(context.membership)
  if (operation?.kind === 'rotate') return `${base}-${shortId(operation.id)}`
  return existing.find((secret) => !isTerminating(secret))?.metadata.name ?? base
}

/** Removes the token Secrets of before this rotation, and so revokes their tokens. */
export const removeOlderTokens = async (context: MemberContext): Promise<void> => {
  const site: Site = { client: await context.member.client(), where: 'member', federationId: context.federation.id }
  const existing = await tokenSecrets(site)
  const current = tokenSecretName(context, existing)
  await removeAllOwned(
    site,
    existing
      .filter((secret) => secret.metadata.name !== current)
      .map((object) => ({ resource: secrets(memberObjectName(site.federationId)), object })),
  )
}
