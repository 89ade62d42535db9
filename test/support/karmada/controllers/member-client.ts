import { Secret } from '../../../../functions/core/values/secret.ts'
import { localPolicy } from '../../../../functions/kubernetes/address-guard.ts'
import type { Connection, KubernetesClient } from '../../../../functions/kubernetes/client.ts'
import { connectWith } from '../../../../functions/kubernetes/connect.ts'
import type { InProcessClient } from '../in-process-client.ts'
import type { KarmadaCluster } from './karmada-cluster.ts'

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString()

/** How to reach a member by its Cluster and the Secret that it names; a text when there is no way. */
export const memberConnection = (api: InProcessClient, { spec }: KarmadaCluster): Connection | string => {
  const { secretRef, apiEndpoint = '', insecureSkipTLSVerification = false } = spec
  if (secretRef === undefined) return 'cluster has no secretRef'
  const secret = api.get(`/api/v1/namespaces/${secretRef.namespace}/secrets/${secretRef.name}`)
  const { token, caBundle } = (secret?.data ?? {}) as { token?: string; caBundle?: string }
  if (secret === undefined) return `secrets "${secretRef.name}" not found`
  if (token === undefined) return `secret ${secretRef.name} has no token`
  if (caBundle === undefined && !insecureSkipTLSVerification) return `secret ${secretRef.name} has no caBundle`
  return {
    server: apiEndpoint,
    caPem: caBundle === undefined ? null : decode(caBundle),
    tlsServerName: null,
    tlsVerify: !insecureSkipTLSVerification,
    credential: { kind: 'token', token: new Secret(decode(token)) },
  }
}

const connect = connectWith({ policy: localPolicy })

const keyOf = ({ credential, ...connection }: Connection): string =>
  JSON.stringify([connection, credential.kind === 'token' ? credential.token.reveal() : ''])

/** Clients of members, one for each access, until closed. */
export class MemberClients {
  readonly #clients = new Map<string, KubernetesClient>()

  /** @throws Error when a Cluster shows no way to its member */
  of(api: InProcessClient, cluster: KarmadaCluster): KubernetesClient {
    const connection = memberConnection(api, cluster)
    if (typeof connection === 'string') throw new Error(connection)
    return this.at(connection)
  }

  at(connection: Connection): KubernetesClient {
    const key = keyOf(connection)
    const client = this.#clients.get(key) ?? connect(connection)
    this.#clients.set(key, client)
    return client
  }

  close(): void {
    for (const client of this.#clients.values()) client.close()
    this.#clients.clear()
  }
}
