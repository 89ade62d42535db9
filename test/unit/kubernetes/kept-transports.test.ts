import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import type { Connection } from '../../../functions/kubernetes/client.ts'
import { KeptTransports } from '../../../functions/kubernetes/connect.ts'
import type { Transport } from '../../../functions/kubernetes/transport.ts'
import { testConnection } from '../../support/kubernetes/test-connection.ts'

type Opened = { closed: boolean }

describe('KeptTransports', () => {
  let opened: Opened[]
  let kept: KeptTransports

  const open = (): Transport => {
    const one: Opened = { closed: false }
    opened.push(one)
    const unused = () => Promise.reject(new Error('nothing is sent here'))
    const close = (): void => {
      one.closed = true
    }
    return { send: unused, forward: unused, answersNow: () => false, close }
  }
  const take = (more: Partial<Connection> = {}): Transport => kept.take(testConnection(6443, 'ca', more))
  const closed = (): boolean[] => opened.map((one) => one.closed)

  beforeEach(() => {
    vi.useFakeTimers()
    opened = []
    kept = new KeptTransports(open)
  })
  afterEach(() => vi.useRealTimers())

  it('gives equal connections one transport, and keeps it for some seconds after the last user', () => {
    const [first, second] = [take(), take()]
    first.close()
    second.close()
    vi.advanceTimersByTime(4_000)
    const third = take()
    vi.advanceTimersByTime(10_000)
    expect(closed()).toEqual([false])
    third.close()
    vi.advanceTimersByTime(5_000)
    expect(closed()).toEqual([true])
  })

  it.each<[string, Partial<Connection>]>([
    ['server', { server: 'https://127.0.0.1:6444' }],
    ['authority', { caPem: 'another' }],
    ['name in the certificate', { tlsServerName: 'api.example.com' }],
    ['verification', { tlsVerify: false }],
    ['token', { credential: { kind: 'token', token: new Secret('another') } }],
    ['certificate', { credential: { kind: 'client-certificate', certificatePem: 'c', keyPem: new Secret('k') } }],
  ])('shares nothing with a connection of another %s', (_what, more) => {
    take()
    take(more)
    expect(opened).toHaveLength(2)
  })

  it('does not keep what is dialled', () => {
    const dial = () => Promise.reject(new Error('nothing is dialled here'))
    take({ dial }).close()
    expect(closed()).toEqual([true])
    take({ dial })
    expect(opened).toHaveLength(2)
  })

  it('opens another after a minute, and ends the old one with its last user', () => {
    const first = take()
    vi.advanceTimersByTime(61_000)
    const second = take()
    expect(closed()).toEqual([false, false])
    first.close()
    expect(closed()).toEqual([true, false])
    second.close()
    expect(take()).toBeDefined()
    expect(opened).toHaveLength(2)
  })

  it('does not use one again after the process stood still for longer than it is kept', () => {
    take().close()
    vi.setSystemTime(Date.now() + 30_000)
    take()
    expect(closed()).toEqual([true, false])
  })

  it('counts a client that is closed twice once', () => {
    const [first, second] = [take(), take()]
    first.close()
    first.close()
    vi.advanceTimersByTime(10_000)
    expect(closed()).toEqual([false])
    second.close()
    vi.advanceTimersByTime(5_000)
    expect(closed()).toEqual([true])
  })

  it('keeps at most 50 that nobody uses', () => {
    for (let port = 1; port <= 60; port += 1) take({ server: `https://127.0.0.1:${port}` }).close()
    expect(closed().filter((isClosed) => !isClosed)).toHaveLength(50)
    expect(closed().slice(0, 10)).toEqual(Array.from({ length: 10 }, () => true))
  })
})
