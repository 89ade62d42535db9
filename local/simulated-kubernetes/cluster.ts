import { Rbac } from './rbac.ts'
import { ObjectStore } from './store.ts'
import { Tokens } from './tokens.ts'

/** The whole state of one simulated cluster, and what its parts share. */
export class Cluster {
  readonly store = new ObjectStore()
  readonly tokens: Tokens
  readonly rbac: Rbac
  readonly caPem: string
  readonly #now: () => Date

  constructor(caPem: string, now: () => Date) {
    this.caPem = caPem
    this.#now = now
    this.tokens = new Tokens(this.store, now)
    this.rbac = new Rbac(this.store)
  }

  /** Now as Kubernetes writes it: RFC 3339, whole seconds. */
  timestamp(): string {
    return `${this.#now().toISOString().slice(0, 19)}Z`
  }
}
