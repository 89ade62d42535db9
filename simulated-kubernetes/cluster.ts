import { type Behaviour, defaultBehaviour } from './behaviour.ts'
import { Rbac } from './rbac.ts'
import { ObjectStore } from './store.ts'
import { Tokens } from './tokens.ts'

/** The whole state of one simulated cluster, and what its parts share. */
export class Cluster {
  readonly store = new ObjectStore()
  readonly tokens: Tokens
  readonly rbac: Rbac
  readonly caPem: string
  readonly behaviour: Behaviour
  readonly #now: () => Date

  constructor(caPem: string, now: () => Date, behaviour: Partial<Behaviour> = {}) {
    this.caPem = caPem
    this.#now = now
    this.tokens = new Tokens(this.store, now)
    this.rbac = new Rbac(this.store)
    this.behaviour = { ...defaultBehaviour(), ...behaviour }
  }

  /** Now as Kubernetes writes it: RFC 3339, whole seconds. */
  timestamp(): string {
    return `${this.#now().toISOString().slice(0, 19)}Z`
  }
}
