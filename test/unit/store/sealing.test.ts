import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import { type DataKeyItems, projectKeys, seal, unseal } from '../../../functions/store/sealing/seal.ts'
import { manualClock } from '../../support/store/contract-subject.ts'
import { type CountingKeys, memoryKeys } from '../../support/store/memory-keys.ts'

const key = { projectId: 'blue', owner: 'cluster/c1', purpose: 'kubeconfig' }
const dataKey = createSecretKey(randomBytes(32))

describe('seal', () => {
  it('never seals to the same bytes twice, and shows nothing of the secret', () => {
    const [first, second] = [1, 2].map(() => Buffer.from(seal(dataKey, key, new Secret('marker-secret'))))
    expect(first!.equals(second!)).toBe(false)
    expect(first!.toString('latin1')).not.toContain('marker')
  })
})

describe('unseal', () => {
  const sealed = seal(dataKey, key, new Secret('marker-secret'))

  it('opens what was sealed for the same place', () => {
    expect(unseal(dataKey, key, sealed).reveal()).toBe('marker-secret')
  })

  it.each([
    { projectId: 'green' },
    { owner: 'cluster/c2' },
    { purpose: 'token' },
    { owner: 'cluster', purpose: 'c1/kubeconfig' },
  ])('refuses it in another place: %j', (other) => {
    expect(() => unseal(dataKey, { ...key, ...other }, sealed)).toThrow(
      expect.objectContaining({ name: 'CredentialUnreadable' }),
    )
  })

  it('refuses it beside anything else than what it is bound to; what was sealed before bindings is read', () => {
    const bound = { ...key, boundTo: 'certificate' }
    const sealedBeside = seal(dataKey, bound, new Secret('marker-secret'))
    expect(unseal(dataKey, bound, sealedBeside).reveal()).toBe('marker-secret')
    expect(unseal(dataKey, bound, sealed).reveal()).toBe('marker-secret')
    for (const other of [key, { ...key, boundTo: 'another' }, { ...key, boundTo: '' }]) {
      expect(() => unseal(dataKey, other, sealedBeside)).toThrow(
        expect.objectContaining({ name: 'CredentialUnreadable' }),
      )
    }
  })

  it('refuses it under another key', () => {
    const other = createSecretKey(randomBytes(32))
    expect(() => unseal(other, key, sealed)).toThrow(expect.objectContaining({ name: 'CredentialUnreadable' }))
  })

  it('refuses it with any byte changed, or cut', () => {
    for (let index = 0; index < sealed.length; index++) {
      const altered = Uint8Array.from(sealed)
      altered[index]! ^= 1
      expect(() => unseal(dataKey, key, altered)).toThrow(expect.objectContaining({ name: 'CredentialUnreadable' }))
    }
    for (const length of [0, 1, 12, 28, sealed.length - 1]) {
      const cut = sealed.slice(0, length)
      expect(() => unseal(dataKey, key, cut)).toThrow(expect.objectContaining({ name: 'CredentialUnreadable' }))
    }
  })
})

/** Wrapped keys in memory, shared by several processes' worth of `projectKeys`. */
const memoryItems = (): DataKeyItems & { stored: Map<string, Uint8Array> } => {
  const stored = new Map<string, Uint8Array>()
  return {
    stored,
    get: async (projectId) => stored.get(projectId),
    insert: async (projectId, wrapped) => {
      if (stored.has(projectId)) return false
      stored.set(projectId, wrapped)
      return true
    },
  }
}

const setUp = (keys: CountingKeys = memoryKeys()) => {
  const clock = manualClock()
  const items = memoryItems()
  const open = () => projectKeys({ keys, items, clock })
  return { keys, clock, items, open }
}

describe('projectKeys', () => {
  it('makes one key per project, and asks the key service once in five minutes', async () => {
    const { keys, clock, open } = setUp()
    const keyOf = open()
    const [blue, again, green] = await Promise.all([keyOf('blue'), keyOf('blue'), keyOf('green')])
    expect(blue.equals(again)).toBe(true)
    expect(blue.equals(green)).toBe(false)
    expect(keys.calls).toEqual({ generated: 2, decrypted: 0 })
    clock.advance(5 * 60_000 - 1)
    await keyOf('blue')
    expect(keys.calls).toEqual({ generated: 2, decrypted: 0 })
    clock.advance(1)
    expect((await keyOf('blue')).equals(blue)).toBe(true)
    expect(keys.calls).toEqual({ generated: 2, decrypted: 1 })
  })

  it('of two processes at once agree on one key', async () => {
    const { items, open } = setUp()
    const found = await Promise.all(Array.from({ length: 5 }, () => open()('blue')))
    expect(found.every((key) => key.equals(found[0]!))).toBe(true)
    expect(items.stored.size).toBe(1)
  })

  it('fails for a key of another key service, and keeps no failure', async () => {
    const { items, clock, open } = setUp()
    await open()('blue')
    const wrapped = items.stored.get('blue')!
    const other = memoryKeys()
    const keyOf = projectKeys({ keys: other, items, clock })
    await expect(keyOf('blue')).rejects.toMatchObject({ name: 'CredentialUnreadable' })
    const { wrapped: readable } = await other.generateDataKey({ project: 'blue' })
    items.stored.set('blue', readable)
    await keyOf('blue')
    items.stored.set('blue', wrapped)
  })

  it('binds the key to its project', async () => {
    const { items, open } = setUp()
    await open()('blue')
    items.stored.set('green', items.stored.get('blue')!)
    await expect(open()('green')).rejects.toMatchObject({ name: 'CredentialUnreadable' })
  })

  it('keeps a bounded number of keys', async () => {
    const { keys, open } = setUp()
    const keyOf = open()
    for (let index = 0; index <= 1000; index++) await keyOf(`p${index}`)
    await keyOf('p1000')
    expect(keys.calls.decrypted).toBe(0)
    await keyOf('p0')
    expect(keys.calls.decrypted).toBe(1)
  })
})
