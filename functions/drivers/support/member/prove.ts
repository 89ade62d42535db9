import { setTimeout } from 'node:timers/promises'
import type { Secret } from '../../../core/values/secret.ts'
import type { KubernetesClient } from '../../../kubernetes/client.ts'
import { CredentialRejected } from '../../../kubernetes/errors.ts'
import { CredentialMissing, CredentialNotProved } from '../../contract/errors.ts'
import type { MemberContext } from '../../contract/federation-driver.ts'
import { whoAmI } from '../who-am-i.ts'

const RETRY_MILLISECONDS = 250

/** Who the cluster says the token is; asked again while it is refused, as a fresh one may be for a moment (cases/JN-19). */
const askUntil = async (client: KubernetesClient, deadline: number): Promise<string | null> => {
  for (;;) {
    try {
      return await whoAmI(client)
    } catch (error) {
      if (!(error instanceof CredentialRejected) || Date.now() >= deadline) throw error
      await setTimeout(RETRY_MILLISECONDS)
    }
  }
}

/**
 * Proves that the token is accepted, over the endpoint and CA that are stored for the member, and is the ServiceAccount's.
 *
 * @throws CredentialNotProved
 */
export const proveToken = async (
  context: MemberContext,
  { token, user, patienceSeconds }: { token: Secret; user: string; patienceSeconds: number },
): Promise<void> => {
  const { endpoint, name } = context.member.cluster
  if (endpoint === null) {
    throw new CredentialMissing(`The endpoint of cluster ${name} is not known. Register the cluster first.`)
  }
  const { server, caPem, tlsServerName, tlsVerify } = endpoint
  const client = context.connect({ server, caPem, tlsServerName, tlsVerify, credential: { kind: 'token', token } })
  try {
    const seen = await askUntil(client, Date.now() + patienceSeconds * 1000)
    if (seen === null || seen === user) return
    throw new CredentialNotProved(
      `Cluster ${name} takes the new token of ${user} for ${seen}. Is there a proxy in front of it that replaces credentials?`,
    )
  } catch (cause) {
    if (!(cause instanceof CredentialRejected)) throw cause
    throw new CredentialNotProved(
      `Cluster ${name} still refuses the new token of ${user} ${patienceSeconds} s after it was made. ` +
        'Compare the clocks of the cluster and of this service.',
      { cause },
    )
  } finally {
    client.close()
  }
}
