import type { Secret } from '../../../core/values/secret.ts'
import type { KubernetesClient } from '../../../kubernetes/client.ts'
import type { MemberContext } from '../../contract/federation-driver.ts'

/** Asks a member's API server with a token of ours, at the address that is stored. Undefined where there is none. @throws what asking throws */
export const askWithToken = async <T>(
  { member, connect }: MemberContext,
  token: Secret,
  ask: (client: KubernetesClient) => Promise<T>,
): Promise<T | undefined> => {
  const { endpoint } = member.cluster
  if (endpoint === null) return undefined
  const { server, caPem, tlsServerName, tlsVerify } = endpoint
  const client = connect({ server, caPem, tlsServerName, tlsVerify, credential: { kind: 'token', token } })
  try {
    return await ask(client)
  } finally {
    client.close()
  }
}
