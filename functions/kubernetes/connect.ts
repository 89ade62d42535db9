import { lookup } from 'node:dns/promises'
import { type AddressPolicy, guardedLookup, type Resolver } from './address-guard.ts'
import { NO_LIMITS } from './bounds.ts'
import type { Connect } from './client.ts'
import { httpClient } from './http-client.ts'
import { KeptTransports } from './kept-transports.ts'
import { forwardPort } from './port-forward.ts'
import type { TransportLimits } from './target.ts'
import { DEFAULT_LIMITS, openTransport } from './transport.ts'

export type ConnectOptions = {
  policy: AddressPolicy
  /** Default: the operating system's resolver. */
  resolver?: Resolver
  /** Default: connect 3 s, total 15 s. */
  limits?: Partial<TransportLimits>
}

/** The operating system's resolver: also /etc/hosts, as kubectl does. */
const systemResolver: Resolver = async (hostname) =>
  (await lookup(hostname, { all: true, order: 'verbatim' })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }))

/** Makes `Connect`. Clients of the same server with the same credential share connections, which stay open for some seconds after the last. */
export const connectWith = ({ policy, resolver = systemResolver, limits }: ConnectOptions): Connect => {
  const transports = new KeptTransports((connection) =>
    openTransport(connection, {
      policy,
      lookup: guardedLookup(policy, resolver),
      limits: { ...DEFAULT_LIMITS, ...limits },
      forwardPort,
    }),
  )
  return (connection, reading = NO_LIMITS) => {
    const { credential } = connection
    const secret = credential.kind === 'token' ? credential.token.reveal() : credential.keyPem.reveal()
    return httpClient(transports.take(connection), { secrets: [secret], limits: reading })
  }
}
