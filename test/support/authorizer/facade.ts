import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hashPassword } from '../../../functions/identity/password.ts'
import type { FedplaneOptions } from '../../../local/server.ts'
import { type Fedplane, startFedplane } from '../../../local/server.ts'

export const ANA_PASSWORD = 'correct horse battery staple'
export const BEN_PASSWORD = 'a password of ben'

/** A fedplane with an identity facade, and requests to it. */
export type FacadeLab = {
  fedplane: Fedplane
  usersFile: string
  /** Writes the file of users anew. */
  writeUsers(users: unknown): void
  /** The users that it begins with: ana in shop (member) and lab (admin), ben in shop (reader). */
  users: Record<string, unknown>[]
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** A token by password. Default: ana's, for shop. */
  token(name?: string, password?: string, scope?: unknown): Promise<string>
  close(): Promise<void>
}
export type CallOptions = { token?: string; subject?: string; body?: unknown; headers?: Record<string, string> }
// biome-ignore lint/suspicious/noExplicitAny: bodies of answers are looked into freely
export type Answer = { status: number; headers: Headers; body: any }

export const passwordLogin = (name: string, password: string, scope?: unknown) => ({
  auth: {
    identity: { methods: ['password'], password: { user: { name, password, domain: { name: 'Default' } } } },
    ...(scope === undefined ? {} : { scope }),
  },
})
export const inProject = (name: string) => ({ project: { name, domain: { name: 'Default' } } })

const headersOf = ({ token, subject, body, headers = {} }: CallOptions): Record<string, string> => ({
  ...(token === undefined ? {} : { 'X-Auth-Token': token }),
  ...(subject === undefined ? {} : { 'X-Subject-Token': subject }),
  ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  ...headers,
})

const request = async (url: string, method: string, options: CallOptions = {}): Promise<Answer> => {
  const { body } = options
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url, {
    method,
    headers: headersOf(options),
    ...(text === undefined ? {} : { body: text }),
  })
  const answer = await response.text()
  return { status: response.status, headers: response.headers, body: answer === '' ? undefined : JSON.parse(answer) }
}

export const startFacade = async (options: FedplaneOptions = {}): Promise<FacadeLab> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'fedplane-facade-'))
  const usersFile = path.join(folder, 'users.yaml')
  const writeUsers = (users: unknown): void => writeFileSync(usersFile, JSON.stringify({ users }), { mode: 0o600 })
  const [ana, ben] = await Promise.all([hashPassword(ANA_PASSWORD), hashPassword(BEN_PASSWORD)])
  const shop = { name: 'shop', id: 'p-shop' }
  const users = [
    {
      name: 'ana',
      id: 'u-ana',
      password: ana,
      projects: [
        { ...shop, roles: ['member', 'reader'] },
        { name: 'lab', roles: ['admin'] },
      ],
    },
    { name: 'ben', password: ben, projects: [{ ...shop, roles: ['reader'] }] },
  ]
  writeUsers(users)
  const fedplane = await startFedplane({ ...options, usersFile })
  const call: FacadeLab['call'] = (method, where, options) => request(`${fedplane.url}${where}`, method, options)
  const token: FacadeLab['token'] = async (name = 'ana', password = ANA_PASSWORD, scope = inProject('shop')) => {
    const answer = await call('POST', '/identity/v3/auth/tokens', { body: passwordLogin(name, password, scope) })
    if (answer.status !== 201) throw new Error(`No token: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.headers.get('x-subject-token') ?? ''
  }
  const close = async (): Promise<void> => {
    await fedplane.close()
    rmSync(folder, { recursive: true })
  }
  return { fedplane, usersFile, writeUsers, users, call, token, close }
}
