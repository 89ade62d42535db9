import { createHash } from 'node:crypto'
import { type AddressPolicy, guardedLookup, type Resolver, systemResolver } from './address-guard.ts'
import { NO_LIMITS } from './bounds.ts'
import type { Connect, Connection } from './client.ts'
import { httpClient } from './http-client.ts'
import { forwardPort } from './port-forward.ts'
import type { TransportLimits } from './target.ts'
import { DEFAULT_LIMITS, openTransport, type Transport } from './transport.ts'

/** Milliseconds for which connections that nobody uses stay open: steps of a flow follow each other within that. */
const IDLE_MS = 5_000

/** Milliseconds after which nobody new gets a transport: names are looked up again then. */
const AGE_MS = 60_000

/** Transports that are kept unused: the health sweep opens thousands of clusters a minute, and a Lambda function may have 1,024 files open. */
const IDLE_MAX = 50

type Kept = {
  transport: Transport
  users: number
  /** Milliseconds of the epoch, as timers stand still while a Lambda function is frozen. */
  openedAt: number
  releasedAt: number
  idle: NodeJS.Timeout | undefined
}

/** What makes two connections the same; a digest, since it includes the credential. */
const keyOf = ({ server, caPem, tlsServerName, tlsVerify, credential }: Connection): string => {
  const secret =
    credential.kind === 'token' ? [credential.token.reveal()] : [credential.certificatePem, credential.keyPem.reveal()]
  return createHash('sha256')
    .update(JSON.stringify([server, caPem, tlsServerName, tlsVerify, ...secret]))
    .digest('base64')
}

/**
 * Transports that outlive their client for a few seconds, by server, trust and credential: a join opens a cluster some ten times, and each new
 * connection costs both sides a TLS handshake. Connections that are dialled are their caller's, and not kept.
 */
export class KeptTransports {
  readonly #open: (connection: Connection) => Transport
  readonly #kept = new Map<string, Kept>()
  /** Unused ones, the longest unused first. */
  readonly #idle = new Map<Kept, string>()

  constructor(open: (connection: Connection) => Transport) {
    this.#open = open
  }

  /** A transport whose `close` gives it back. */
  take(connection: Connection): Transport {
    if (connection.dial !== undefined) return this.#open(connection)
    const key = keyOf(connection)
    const kept = this.#fresh(key) ?? this.#start(key, connection)
    kept.users += 1
    this.#wake(kept)
    let isOpen = true
    return {
      send: (request) => kept.transport.send(request),
      forward: (pod) => kept.transport.forward(pod),
      answersNow: () => kept.transport.answersNow(),
      close: () => {
        if (isOpen) this.#release(key, kept)
        isOpen = false
      },
    }
  }

  #start(key: string, connection: Connection): Kept {
    const transport = this.#open(connection)
    const kept: Kept = { transport, users: 0, openedAt: Date.now(), releasedAt: 0, idle: undefined }
    this.#kept.set(key, kept)
    return kept
  }

  /** The kept one that may still be used; another is forgotten, and closed by its last user. */
  #fresh(key: string): Kept | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) return undefined
    const now = Date.now()
    const isNoOp = kept.users === 0 && now - kept.releasedAt > IDLE_MS
    if (!isNoOp && now - kept.openedAt <= AGE_MS) return kept
    this.#forget(key, kept)
    return undefined
  }

  #release(key: string, kept: Kept): void {
    kept.users -= 1
    kept.releasedAt = Date.now()
    if (kept.users > 0) return
    if (this.#kept.get(key) !== kept) {
      kept.transport.close()
      return
    }
    kept.idle = setTimeout(() => this.#forget(key, kept), IDLE_MS).unref()
    this.#idle.set(kept, key)
    const [longest] = this.#idle
    if (this.#idle.size > IDLE_MAX && longest !== undefined) this.#forget(longest[1], longest[0])
  }

  #wake(kept: Kept): void {
    clearTimeout(kept.idle)
    this.#idle.delete(kept)
  }

  #forget(key: string, kept: Kept): void {
    this.#wake(kept)
    if (this.#kept.get(key) === kept) this.#kept.delete(key)
    if (kept.users === 0) kept.transport.close()
  }
}

export type ConnectOptions = {
  policy: AddressPolicy
  /** Default: the operating system's resolver. */
  resolver?: Resolver
  /** Default: connect 3 s, total 15 s. */
  limits?: Partial<TransportLimits>
}

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
