import { describe, expect, it } from 'vitest'
import { poll } from '../../../functions/flows/loop.ts'

const countdown = (from: number) => {
  let left = from
  const looks = { count: 0 }
  const look = async () => {
    looks.count += 1
    left -= 1
    return { done: left <= 0 }
  }
  return { look, looks }
}

describe('poll', () => {
  it('looks once when there is no time', async () => {
    const { look, looks } = countdown(5)
    expect(await poll(look, performance.now())).toEqual({ done: false })
    expect(looks.count).toBe(1)
  })

  it('looks again until done', async () => {
    const { look, looks } = countdown(2)
    expect(await poll(look, performance.now() + 5000)).toEqual({ done: true })
    expect(looks.count).toBe(2)
  })

  it('hands on what an observation throws', async () => {
    await expect(poll(() => Promise.reject(new Error('no')), performance.now() + 5000)).rejects.toThrow('no')
  })
})
