import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LOCAL_PRINCIPAL, localAuthorizer, openTokenFile } from '../../../local/authorizer/authorizer.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

const TOKEN = 'token-that-must-not-be-seen'
const HOLDER = { userId: 'u1', projectId: 'p1', roles: ['member', 'reader'] }
const PRINCIPAL = { ...HOLDER, source: 'token-file' }

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
  file = join(folder, 'tokens.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (content: unknown): void =>
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })

describe('localAuthorizer', () => {
  it('makes everybody the local principal when there is no token file', async () => {
    expect(await localAuthorizer(undefined)({})).toEqual({ principal: LOCAL_PRINCIPAL })
    expect(LOCAL_PRINCIPAL).toEqual({
      userId: 'local',
      projectId: 'local',
      roles: ['admin', 'member', 'reader'],
      source: 'local',
    })
  })

  it.each([
    [{ 'x-auth-token': TOKEN }],
    [{ authorization: `Bearer ${TOKEN}` }],
    [{ authorization: `bearer  ${TOKEN}` }],
    [{ 'x-auth-token': TOKEN, authorization: 'Bearer other' }],
  ])('knows the holder of a token (case %#)', async (headers) => {
    write({ [TOKEN]: HOLDER })
    expect(await localAuthorizer(openTokenFile(file, keptLog()))(headers)).toEqual({ principal: PRINCIPAL })
  })

  it.each([
    [{}, /no token/],
    [{ 'x-auth-token': '' }, /no token/],
    [{ authorization: `Basic ${TOKEN}` }, /no token/],
    [{ 'x-auth-token': 'unknown' }, /not known/],
    [{ 'x-auth-token': '__proto__' }, /not known/],
    [{ 'x-auth-token': `${TOKEN}x` }, /not known/],
  ])('says why it is nobody (case %#)', async (headers, reason) => {
    write({ [TOKEN]: HOLDER })
    const context = await localAuthorizer(openTokenFile(file, keptLog()))(headers)
    expect(context).toEqual({ reason: expect.stringMatching(reason) })
    expect(JSON.stringify(context)).not.toContain(TOKEN)
  })
})

describe('openTokenFile', () => {
  it.each([
    [`{"${TOKEN}": `, /not JSON/],
    [
      { [TOKEN]: { userId: 'u', projectId: 'p' } },
      /: the entry of user "u": roles must be a list of one or more of admin, member, reader\. Expected/,
    ],
    [
      { a: HOLDER, [TOKEN]: { ...HOLDER, roles: ['owner', 'boss'] } },
      /: the entry of user "u1": roles must be a list of [^;]*\. Expected/,
    ],
    [{ [TOKEN]: { ...HOLDER, roles: [] } }, /user "u1": roles must be a list of one or more/],
    [{ [TOKEN]: { ...HOLDER, [`${TOKEN}-extra`]: 1 } }, /user "u1": has a field besides userId, projectId and roles/],
    [
      { a: HOLDER, [TOKEN]: { projectId: '', roles: ['admin'] } },
      /entry 2: userId must be text of 1 to 255 characters; entry 2: projectId must be text/,
    ],
    [[TOKEN], /not an object of tokens/],
    [{ [TOKEN]: TOKEN }, /entry 1: must be an object with userId, projectId and roles/],
    [{ '': HOLDER }, /user "u1": has an empty token/],
  ])('refuses a bad file, naming the fault but no token (case %#)', (content, fault) => {
    write(content)
    const open = () => openTokenFile(file, keptLog())
    expect(open).toThrow(expect.objectContaining({ name: 'TokenFileInvalid', message: expect.stringMatching(fault) }))
    expect(open).not.toThrow(new RegExp(TOKEN))
  })

  it('says that a file is not there', () => {
    expect(() => openTokenFile(file, keptLog())).toThrow(/ENOENT.*FEDPLANE_TOKENS/)
  })

  it('reads the file again when it changes, and keeps the tokens before when the change is bad', () => {
    write({ [TOKEN]: HOLDER })
    const log = keptLog()
    const lookUp = openTokenFile(file, log)
    write({ other: HOLDER, another: HOLDER })
    expect(lookUp(TOKEN)).toBeUndefined()
    expect(lookUp('other')).toEqual(PRINCIPAL)
    write('{')
    expect(lookUp('other')).toEqual(PRINCIPAL)
    rmSync(file)
    expect(lookUp('other')).toEqual(PRINCIPAL)
    expect(log.lines.map((line) => line.level)).toEqual(['error', 'error'])
    write({ [TOKEN]: HOLDER })
    expect(lookUp(TOKEN)).toEqual(PRINCIPAL)
  })

  it.each([0o640, 0o604, 0o622, 0o601])('refuses a file with mode %o, and says what to run', (mode) => {
    write({ [TOKEN]: HOLDER })
    chmodSync(file, mode)
    const open = () => openTokenFile(file, keptLog())
    expect(open).toThrow(
      expect.objectContaining({
        name: 'TokenFileInvalid',
        message: `The token file ${file} is open to other users (mode ${mode.toString(8)}). Run chmod 600 on it.`,
      }),
    )
    chmodSync(file, 0o400)
    expect(openTokenFile(file, keptLog())(TOKEN)).toEqual(PRINCIPAL)
  })

  it('takes no tokens from a file that others can read or write since, and says so once', () => {
    write({ [TOKEN]: HOLDER })
    const log = keptLog()
    const lookUp = openTokenFile(file, log)
    chmodSync(file, 0o666)
    write({ intruder: HOLDER })
    expect([lookUp('intruder'), lookUp('intruder')]).toEqual([undefined, undefined])
    expect(lookUp(TOKEN)).toEqual(PRINCIPAL)
    expect(log.lines.map(({ level }) => level)).toEqual(['error'])
    chmodSync(file, 0o600)
    expect(lookUp('intruder')).toEqual(PRINCIPAL)
  })

  it('refuses a file of another user', () => {
    write({ [TOKEN]: HOLDER })
    vi.spyOn(process, 'getuid').mockReturnValue(4711)
    expect(() => openTokenFile(file, keptLog())).toThrow(/belongs to another user \(uid \d+\).*chown 4711/)
    vi.restoreAllMocks()
  })
})
