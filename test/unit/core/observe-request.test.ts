import { describe, expect, it } from 'vitest'
import { Allowance } from '../../../functions/api/allowance.ts'
import {
  asked,
  begun,
  dueAt,
  ended,
  type ObserveRequest,
  watched,
} from '../../../functions/core/cluster/observe-request.ts'

const KEY = { projectId: 'blue', clusterId: 'c1' }
const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 29, 10) + seconds * 1000)
const ask = (read: ObserveRequest | undefined, seconds: number): ObserveRequest => {
  const result = asked(read, KEY, at(seconds))
  if (!('next' in result)) throw new Error(JSON.stringify(result))
  return result.next
}
const once = (read: ObserveRequest | undefined, seconds: number): ObserveRequest =>
  ended(begun(ask(read, seconds), at(seconds))!, at(seconds))

describe('a request to observe a cluster', () => {
  it('is one for all who ask before it begins', () => {
    const first = ask(undefined, 0)
    expect(asked(first, KEY, at(1))).toEqual({ waits: first })
    expect(dueAt(first)).toBe(at(0).toISOString())
  })

  it('is begun by one at a time, and keeps who asks meanwhile for the next', () => {
    const running = begun(ask(undefined, 0), at(1))!
    expect(begun(running, at(2))).toBeUndefined()
    const more = ask(running, 3)
    expect(begun(more, at(4))).toBeUndefined()
    const after = ended(more, at(5))
    expect(after).toMatchObject({ askedAt: at(3).toISOString(), begunAt: null, endedAt: at(5).toISOString() })
    expect(begun(after, at(6))).toMatchObject({ askedAt: null, begunAt: at(6).toISOString() })
  })

  it('is begun again when who began it has died', () => {
    const running = begun(ask(undefined, 0), at(1))!
    expect(begun(running, at(90))).toBeUndefined()
    expect(begun(running, at(91))).toMatchObject({ begunAt: at(91).toISOString() })
  })

  it('is over when it ended and nobody asked', () => {
    const over = once(undefined, 0)
    expect(dueAt(over)).toBeNull()
    expect(begun(over, at(1))).toBeUndefined()
  })

  it('is carried out six times at once, then one in five seconds', () => {
    let read: ObserveRequest | undefined
    for (let count = 0; count < 6; count++) read = once(read, 0)
    expect(asked(read, KEY, at(0))).toEqual({ retryAfterSeconds: 5 })
    expect(asked(read, KEY, at(3.5))).toEqual({ retryAfterSeconds: 2 })
    read = once(read, 5)
    expect(asked(read, KEY, at(5))).toEqual({ retryAfterSeconds: 5 })
    read = once(read, 600)
    expect(asked(read, KEY, at(600))).toHaveProperty('next')
  })
})

describe('a cluster that the cloud tells of', () => {
  it('is observed at once, and each minute for twenty', () => {
    let read = watched(undefined, KEY, at(0))!
    expect(read).toMatchObject({ askedAt: at(0).toISOString(), revision: 1 })
    const times: number[] = []
    for (let second = 0; second < 1500; second += 1) {
      const next = begun(read, at(second))
      if (next !== undefined) times.push(second)
      read = next === undefined ? read : ended(next, at(second))
    }
    expect(times).toEqual(Array.from({ length: 21 }, (_, minute) => minute * 60))
    expect(read).not.toHaveProperty('watchUntil')
    expect(dueAt(read)).toBeNull()
  })

  it('writes nothing for events that follow each other at once, and is watched longer by later ones', () => {
    const first = watched(undefined, KEY, at(0))!
    expect(watched(first, KEY, at(1))).toBeUndefined()
    const running = begun(first, at(2))!
    expect(watched(running, KEY, at(3))).toMatchObject({ askedAt: at(3).toISOString() })
    expect(watched(ended(running, at(4)), KEY, at(600))).toMatchObject({ watchUntil: at(1800).toISOString() })
  })

  it('does not wait for the next minute when somebody asks', () => {
    const resting = ended(begun(watched(undefined, KEY, at(0))!, at(0))!, at(1))
    expect(dueAt(ask(resting, 10))).toBe(at(10).toISOString())
  })

  it('is watched also when it was observed as often as it may be', () => {
    let read: ObserveRequest | undefined
    for (let count = 0; count < 6; count++) read = once(read, 0)
    expect(watched(read, KEY, at(0))).toMatchObject({ askedAt: null, againAt: at(60).toISOString() })
  })
})

describe('posts to hooks', () => {
  it('are 50 at once, then ten a second, of each hook by itself', () => {
    const posts = new Allowance({ burst: 50, perSecond: 10 })
    for (let count = 0; count < 50; count++) expect(posts.take('one', at(0))).toBe(0)
    expect(posts.take('one', at(0))).toBe(1)
    expect(posts.take('other', at(0))).toBe(0)
    expect(posts.take('one', at(0.1))).toBe(0)
    expect(posts.take('one', at(0.1))).toBe(1)
  })

  it('take no more memory for more hooks: the one that was quiet for the longest begins anew', () => {
    const posts = new Allowance({ burst: 50, perSecond: 10 })
    for (let count = 0; count < 50; count++) posts.take('quiet', at(0))
    for (let count = 0; count < 9_999; count++) posts.take(`hook-${count}`, at(0))
    expect(posts.take('quiet', at(0))).toBe(1)
    posts.take('one more', at(0))
    expect(posts.take('quiet', at(0))).toBe(0)
  })
})
