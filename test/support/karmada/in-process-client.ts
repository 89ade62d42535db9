import type { Cluster } from '../../../simulated-kubernetes/cluster.ts'
import { answer } from '../../../simulated-kubernetes/routes.ts'
import { StatusError } from '../../../simulated-kubernetes/status.ts'
import type { ApiObject, ApiResponse, User } from '../../../simulated-kubernetes/types.ts'

/** Calls to a simulated API from within: through rights, webhooks and checks as all others, without a connection. */
export type InProcessClient = {
  get(path: string): ApiObject | undefined
  list(path: string): ApiObject[]
  create(path: string, object: object): ApiObject
  patch(path: string, patch: object): ApiObject
  delete(path: string): void
}

/** @param user as its client certificate says it is */
export const inProcess = (cluster: Cluster, user: { username: string; groups: readonly string[] }): InProcessClient => {
  const whole: User = { ...user, uid: '', extra: {} }
  const call = (method: string, path: string, body?: object, contentType = 'application/json'): ApiResponse =>
    answer(
      {
        method,
        path,
        query: new URLSearchParams(),
        contentType,
        userAgent: user.username.replace('system:', ''),
        body: body === undefined ? '' : JSON.stringify(body),
        user: whole,
      },
      cluster,
    )
  const orNothing = <T>(act: () => T): T | undefined => {
    try {
      return act()
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined
      throw error
    }
  }
  const objectOf = ({ status, body }: ApiResponse): ApiObject => {
    if (status >= 300) throw new StatusError(status, '', String(body))
    return body as ApiObject
  }
  return {
    get: (path) => orNothing(() => objectOf(call('GET', path))),
    list: (path) => (objectOf(call('GET', path)) as unknown as { items: ApiObject[] }).items,
    create: (path, object) => objectOf(call('POST', path, object)),
    patch: (path, patch) => objectOf(call('PATCH', path, patch, 'application/merge-patch+json')),
    delete: (path) => void orNothing(() => call('DELETE', path)),
  }
}

export const isRefusal = (error: unknown): boolean => error instanceof StatusError
