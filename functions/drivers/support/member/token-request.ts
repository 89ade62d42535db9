import * as z from 'zod'
import type { MemberCredential } from '../../../core/membership/membership.ts'
import { Secret } from '../../../core/values/secret.ts'
import type { KubernetesClient } from '../../../kubernetes/client.ts'
import { NotKubernetes } from '../../../kubernetes/errors.ts'
import type { Review } from '../../../kubernetes/manifest.ts'
import { TokenTooShortLived } from '../../contract/errors.ts'

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
      "Compare the clocks of the cluster and of this service, and look at the API server's --service-account-max-token-expiration.",
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
