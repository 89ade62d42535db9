import { Secret } from '../../../functions/core/values/secret.ts'
import { localPolicy } from '../../../functions/kubernetes/address-guard.ts'
import type { Connection, KubernetesClient } from '../../../functions/kubernetes/client.ts'
import { type ConnectOptions, connectWith } from '../../../functions/kubernetes/connect.ts'

/** The bearer token of test connections; no error may hold it. */
export const TEST_TOKEN = 'example-token-not-a-secret-7777'

/** A connection with a token to a port of 127.0.0.1. */
export const testConnection = (port: number, caPem: string | null, more: Partial<Connection> = {}): Connection => ({
  server: `https://127.0.0.1:${port}`,
  caPem,
  tlsServerName: null,
  tlsVerify: true,
  credential: { kind: 'token', token: new Secret(TEST_TOKEN) },
  ...more,
})

/** A client with the local policy; every name resolves to 127.0.0.1. */
export const testClient = (connection: Connection, options: Partial<ConnectOptions> = {}): KubernetesClient =>
  connectWith({ policy: localPolicy, resolver: async () => [{ address: '127.0.0.1', family: 4 }], ...options })(
    connection,
  )
