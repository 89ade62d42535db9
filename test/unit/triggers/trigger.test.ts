import { describe, expect, it } from 'vitest'
import { deliveryOf, fitsPattern, isFor } from '../../../functions/core/trigger/trigger.ts'
import { sampleEvent } from '../../support/store/samples.ts'

describe('fitsPattern', () => {
  it.each([
    ['cluster.create.success', 'cluster.create.success', true],
    ['cluster.create.success', 'cluster.create.successes', false],
    ['cluster.*', 'cluster.create.success', true],
    ['cluster.*', 'clusters.create.success', false],
    ['*', 'federation.join.failure', true],
    ['*.failure', 'federation.join.failure', true],
    ['*.failure', 'federation.join.success', false],
    ['federation.*.failure', 'federation.join.failure', true],
    ['federation.*.failure', 'federation.failure', false],
    ['*join*', 'federation.join.failure', true],
    ['*a*a', 'a', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*a*b*c', 'xaybzc', true],
    ['*a*b*c', 'xbyazc', false],
  ])('%s against %s is %s', (pattern, text, expected) => {
    expect(fitsPattern(pattern, text)).toBe(expected)
  })
})

describe('isFor', () => {
  const event = sampleEvent({ owner: { kind: 'federation', id: 'f1' }, name: 'fleet', clusterId: 'c1', action: 'join' })
  const fits = (filter: Parameters<typeof isFor>[0]['filter'], events = ['*']) => isFor({ events, filter }, event)

  it('takes what fits one of its types and all that its filter names', () => {
    expect(fits({})).toBe(true)
    expect(fits({}, ['cluster.*', 'federation.join.*'])).toBe(true)
    expect(fits({}, ['cluster.*'])).toBe(false)
    expect([fits({ owner: 'fleet' }), fits({ owner: 'f1' }), fits({ owner: 'other' })]).toEqual([true, true, false])
    expect([fits({ clusterId: 'c1' }), fits({ clusterId: 'c2' })]).toEqual([true, false])
    expect([fits({ outcome: 'success' }), fits({ owner: 'fleet', outcome: 'failure' })]).toEqual([true, false])
  })
})

describe('deliveryOf', () => {
  it('is a CloudEvent in structured JSON, known by the id of the event, and due at once', () => {
    const event = sampleEvent({ projectId: 'shop/1' })
    const now = new Date('2026-11-29T10:00:00.000Z')
    const delivery = deliveryOf(event, { projectId: 'shop/1', id: 't1' }, now)
    expect(delivery).toMatchObject({ id: event.id, messageId: event.id, state: 'pending', nextAt: now.toISOString() })
    expect(JSON.parse(delivery.payload)).toEqual({
      specversion: '1.0',
      id: event.id,
      source: '/fedplane/projects/shop%2F1',
      type: 'fedplane.cluster.create.success',
      subject: 'cluster/c1',
      time: event.time,
      datacontenttype: 'application/json',
      data: {
        owner: { kind: 'cluster', uuid: 'c1', name: 'paris' },
        cluster_id: null,
        reason: 'Created',
        message: 'The cluster is registered.',
        sequence: 2,
      },
    })
  })
})
