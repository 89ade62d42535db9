import type { Answer } from './loopback.ts'

/** What the stand-in knows of a token that is not a service's. */
export type TokenFacts = {
  userId: string
  projectId: string
  roles: readonly string[]
  /** The token was got with an application credential. */
  by?: { id: string; unrestricted: boolean } | undefined
  /** The user has his roles by groups of an identity provider, which do not count for application credentials. */
  federated?: boolean | undefined
}

export type StoredCredential = {
  id: string
  name: string
  secret: string
  userId: string
  projectId: string
  roles: string[]
  unrestricted: boolean
}

type Body = {
  application_credential?: { name: string; unrestricted?: boolean; roles?: { id: string }[]; description?: string }
}

const refusal = (code: number, message: string, title: string): Answer => ({
  status: code,
  body: { error: { code, message, title } },
})
const unauthorized = () => refusal(401, 'The request you have made requires authentication.', 'Unauthorized')
const forbidden = (message: string) => refusal(403, message, 'Forbidden')
const shown = ({ secret: _, userId: user_id, projectId: project_id, roles, ...rest }: StoredCredential) => ({
  ...rest,
  user_id,
  project_id,
  roles: roles.map((name) => ({ id: `id-${name}`, name })),
})

/**
 * The application credentials of the Keystone stand-in: simulated after keystone/api/users.py and keystone/application_credential/core.py
 * (names are a user's; restricted ones manage no others; roles are some of the token's, and the user's own; they go with the user's role).
 */
export class CredentialsStandIn {
  readonly all = new Map<string, StoredCredential>()
  /** Application credentials that a user may have; Keystone's default is no limit. */
  limit = Number.POSITIVE_INFINITY
  #made = 0

  /** As when the user is taken out of the project, disabled or deleted. */
  removeRole(userId: string, projectId: string): void {
    for (const { id, ...of } of this.all.values()) {
      if (of.userId === userId && of.projectId === projectId) this.all.delete(id)
    }
  }

  /** Names of those of a user, in order of their making. */
  namesOf(userId: string): string[] {
    return [...this.all.values()].filter((one) => one.userId === userId).map(({ name }) => name)
  }

  /** The token's facts of a login with an id and a secret; undefined: 401. */
  login(id: string, secret: string): TokenFacts | undefined {
    const found = this.all.get(id)
    if (found?.secret !== secret) return undefined
    const { userId, projectId, roles, unrestricted } = found
    return { userId, projectId, roles, by: { id, unrestricted } }
  }

  /** Answers a call below /v3/users/{user}/application_credentials. */
  answer(method: string, path: string, facts: TokenFacts | undefined, body: string): Answer {
    // A token of a credential that is gone is worth nothing either.
    if (facts === undefined || (facts.by !== undefined && !this.all.has(facts.by.id))) return unauthorized()
    const [, userId = '', rest = ''] = /^\/v3\/users\/([^/]+)\/application_credentials(.*)$/.exec(path) ?? []
    if (facts.userId !== decodeURIComponent(userId)) {
      return forbidden('You are not authorized to perform the requested action.')
    }
    if (method === 'GET') return this.#list(facts, new URLSearchParams(rest.slice(1)).get('name'))
    if (facts.by?.unrestricted === false) {
      return forbidden(
        "Using method 'application_credential' is not allowed for managing additional application credentials.",
      )
    }
    return method === 'POST' ? this.#create(facts, JSON.parse(body) as Body) : this.#remove(rest.slice(1))
  }

  #list(facts: TokenFacts, name: string | null): Answer {
    const found = [...this.all.values()].filter((one) => one.userId === facts.userId && (name ?? one.name) === one.name)
    return { status: 200, body: { application_credentials: found.map(shown) } }
  }

  #create(facts: TokenFacts, { application_credential: wanted }: Body): Answer {
    if (wanted === undefined || !wanted.name) return refusal(400, 'name is a required property', 'Bad Request')
    const roles = (wanted.roles ?? facts.roles.map((name) => ({ id: `id-${name}` }))).map(({ id }) => id.slice(3))
    if (facts.federated || roles.some((role) => !facts.roles.includes(role))) {
      return refusal(
        400,
        `Could not find role assignment with role: ${roles[0]}, user: ${facts.userId}.`,
        'Bad Request',
      )
    }
    const own = this.namesOf(facts.userId)
    if (own.length >= this.limit) {
      return forbidden('Unable to create additional application credentials, maximum of 2 already exceeded for user.')
    }
    if (own.includes(wanted.name)) {
      return refusal(409, 'Conflict occurred attempting to store application_credential - Duplicate entry.', 'Conflict')
    }
    this.#made += 1
    const { userId, projectId } = facts
    const credential: StoredCredential = {
      id: `credential-${this.#made}`,
      name: wanted.name,
      secret: `secret-that-must-not-be-seen-${this.#made}`,
      userId,
      projectId,
      roles,
      unrestricted: wanted.unrestricted ?? false,
    }
    this.all.set(credential.id, credential)
    return { status: 201, body: { application_credential: { ...shown(credential), secret: credential.secret } } }
  }

  #remove(id: string): Answer {
    if (this.all.delete(id)) return { status: 204, body: {} }
    return refusal(404, `Could not find Application Credential: ${id}.`, 'Not Found')
  }
}
