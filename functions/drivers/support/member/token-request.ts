import * as z from 'zod'
import type { MemberCredential } from '../../../domain/membership.ts'
import { Secret } from '../../../domain/secret.ts'
import type { KubernetesClient } from '../../../kubernetes/client.ts'

/** A day: long enough for a renewal to fail for hours, short enough for a leaked token to die soon. The server may shorten it. */
const EXPIRATION_SECONDS = 86_400

const TokenRequest = z.object({ status: z.object({ token: z.string().min(1), expirationTimestamp: z.string() }) })

/** Mints a token for a ServiceAccount (TokenRequest API). Renewal is due after two thirds of its life. */
export const requestToken = async (
  client: KubernetesClient,
  { namespace, account }: { namespace: string; account: string },
  now: string,
): Promise<MemberCredential & { token: Secret }> => {
  const answer = await client.post(`/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: EXPIRATION_SECONDS },
  })
  const { token, expirationTimestamp } = TokenRequest.parse(answer).status
  const begins = new Date(now).getTime()
  const ends = new Date(expirationTimestamp).getTime()
  return {
    kind: 'token-request',
    expiresAt: new Date(ends).toISOString(),
    renewAfter: new Date(begins + ((ends - begins) * 2) / 3).toISOString(),
    token: new Secret(token),
  }
}
