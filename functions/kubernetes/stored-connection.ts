import * as z from 'zod'
import type { ClusterEndpoint } from '../core/cluster/cluster.ts'
import { Secret } from '../core/values/secret.ts'
import type { Connection, ConnectionCredential } from './client.ts'
import { StoredConnectionInvalid } from './errors.ts'

/** Text that becomes a Secret when it is read. */
const SecretText = z
  .string()
  .min(1)
  .transform((text) => new Secret(text))

const StoredConnection = z.object({
  version: z.literal(1),
  server: z.string().startsWith('https://'),
  caPem: z.string().nullable(),
  tlsServerName: z.string().nullable(),
  tlsVerify: z.boolean(),
  credential: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('token'), token: SecretText }),
    z.object({ kind: z.literal('client-certificate'), certificatePem: z.string().min(1), keyPem: SecretText }),
  ]),
})

/** The connection to a cluster as its driver knows it. */
export const connectionTo = (endpoint: ClusterEndpoint, credential: ConnectionCredential): Connection => ({
  server: endpoint.server,
  caPem: endpoint.caPem,
  tlsServerName: endpoint.tlsServerName,
  tlsVerify: endpoint.tlsVerify,
  credential,
})

/** What is sealed as a cluster's credential. */
export const encodeConnection = ({ credential, ...rest }: Connection): Secret => {
  const revealed =
    credential.kind === 'token'
      ? { kind: credential.kind, token: credential.token.reveal() }
      : { kind: credential.kind, certificatePem: credential.certificatePem, keyPem: credential.keyPem.reveal() }
  return new Secret(JSON.stringify({ version: 1, ...rest, credential: revealed }))
}

/** @throws StoredConnectionInvalid, without a word of the content */
export const decodeConnection = (stored: Secret): Connection => {
  const parsed = StoredConnection.safeParse(jsonOf(stored.reveal()))
  if (!parsed.success) {
    throw new StoredConnectionInvalid(
      'The stored credential of the cluster is not in a form that this version reads; send the kubeconfig again (PATCH replace /kubeconfig).',
    )
  }
  const { version: _, ...connection } = parsed.data
  return connection
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return
  }
}
