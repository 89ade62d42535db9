import { describe, expect, it } from 'vitest'
import { parseDirectory } from '../../../functions/identity/directory.schema.ts'
import { hashPassword, isPasswordHash, PasswordsBusy, verifyPassword } from '../../../functions/identity/password.ts'

const password = await hashPassword('correct horse battery staple')
const ana = { name: 'ana', password, projects: [{ name: 'shop', roles: ['member'] }] }

describe('parseDirectory', () => {
  it('takes names for ids where there are none', () => {
    const parsed = parseDirectory({ users: [ana, { ...ana, name: 'ben', id: 'u-ben' }] })
    if (!('directory' in parsed)) throw new Error(parsed.faults.join())
    const { byId, byName, region } = parsed.directory
    expect([...byId.keys(), ...byName.keys(), region]).toEqual(['ana', 'u-ben', 'ana', 'ben', 'RegionOne'])
    expect(byId.get('ana')?.projects).toEqual([{ id: 'shop', name: 'shop', roles: ['member'] }])
  })

  it.each<[unknown, RegExp]>([
    ['users', /no object with a list of users/],
    [{ users: {} }, /users must be a list/],
    [{ users: [ana], more: 1 }, /the document has a field that is not known/],
    [{ users: ['hunter2'] }, /users\[0\] must be an object/],
    [
      { users: [{ ...ana, password: 'hunter2' }] },
      /users\[0\]\.password must be a line that `fedplane user hash` prints/,
    ],
    [{ users: [{ ...ana, hunter2: 1 }] }, /users\[0\] has a field that is not known/],
    [{ users: [{ ...ana, name: 'a\nb' }] }, /users\[0\]\.name must be text/],
    [
      { users: [{ ...ana, projects: [{ name: 'x', roles: ['root'] }] }] },
      /roles.* must be a list of one or more of admin/,
    ],
    [{ users: [{ ...ana, projects: [{ name: 'x', roles: [] }] }] }, /projects\[0\]\.roles must be a list/],
    [{ users: [ana, ana] }, /two users have the name "ana"/],
    [{ users: [ana, { ...ana, name: 'ben', id: 'ana' }] }, /two users have the id "ana"/],
    [
      { users: [ana, { ...ana, name: 'ben', projects: [{ name: 'shop', id: 'other', roles: ['reader'] }] }] },
      /the project "shop" has two ids/,
    ],
    [
      { users: [{ ...ana, projects: [...ana.projects, { name: 'lab', id: 'shop', roles: ['reader'] }] }] },
      /two projects have the id "shop"/,
    ],
    [{ users: [{ ...ana, projects: [...ana.projects, ...ana.projects] }] }, /has the project "shop" twice/],
  ])('names what is wrong and no password: %j', (document, fault) => {
    const parsed = parseDirectory(document)
    const text = 'faults' in parsed ? parsed.faults.join('; ') : ''
    expect(text).toMatch(fault)
    expect(text).not.toMatch(/hunter2|\$scrypt/)
  })
})

describe('passwords', () => {
  it('fit their hash alone, which is another one each time', async () => {
    expect(isPasswordHash(password)).toBe(true)
    expect(await hashPassword('correct horse battery staple')).not.toBe(password)
    expect(await verifyPassword('correct horse battery staple', password)).toBe(true)
    expect(await verifyPassword('correct horse battery stable', password)).toBe(false)
  })

  it('fit nobody who is not there', async () => {
    expect(await verifyPassword('anything', undefined)).toBe(false)
    expect(await verifyPassword('anything', 'anything')).toBe(false)
  })

  it('are the same however an accent is typed', async () => {
    expect(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9'))).toBe(true)
  })

  it('are refused when too many are checked at once', async () => {
    const all = await Promise.allSettled(Array.from({ length: 15 }, () => verifyPassword('x', password)))
    const refused = all.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []))
    expect(refused).toHaveLength(3)
    expect(refused.every((error) => error instanceof PasswordsBusy)).toBe(true)
  })

  it.each(['$scrypt$ln=1,r=8,p=2$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'plain'])(
    'are no hash of less work: %s',
    (text) => {
      expect(isPasswordHash(text)).toBe(false)
    },
  )
})
