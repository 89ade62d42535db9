import { describe, expect, it } from 'vitest'
import { type DomainEvent, notificationOf, outboxEvents } from '../../../functions/core/values/event.ts'

const event = (change: Partial<DomainEvent> = {}): DomainEvent => ({
  id: '01920000-0000-7000-8000-000000000001',
  projectId: 'shop',
  owner: { kind: 'federation', id: '0193' },
  name: 'fleet',
  clusterId: null,
  action: 'create',
  outcome: 'pending',
  sequence: 1,
  reason: 'Requested',
  message: 'Federation fleet is being created.',
  time: '2026-11-28T10:00:00.123Z',
  initiator: { userId: 'ana', projectId: 'shop' },
  ...change,
})

describe('notificationOf', () => {
  it('has the form of oslo.messaging with a CADF event, as Magnum sends it for clusters', () => {
    expect(notificationOf(event())).toEqual({
      id: event().id,
      time: event().time,
      source: 'fedplane',
      'detail-type': 'magnum.federation.create',
      detail: {
        message_id: event().id,
        publisher_id: 'container-infra.fedplane',
        event_type: 'magnum.federation.create',
        priority: 'INFO',
        timestamp: '2026-11-28 10:00:00.123000',
        payload: {
          typeURI: 'http://schemas.dmtf.org/cloud/audit/1.0/event',
          eventType: 'activity',
          id: event().id,
          eventTime: '2026-11-28T10:00:00.123000+0000',
          action: 'create',
          outcome: 'pending',
          reason: { reasonType: 'fedplane', reasonCode: 'Requested' },
          observer: { id: 'fedplane', typeURI: 'service/magnum/federation' },
          initiator: { id: 'ana', typeURI: 'service/security/account/user', user_id: 'ana', project_id: 'shop' },
          target: {
            id: '0193',
            typeURI: 'service/magnum/federation',
            name: 'fleet',
            attachments: [
              {
                typeURI: 'service/magnum/federation',
                name: 'federation_data',
                content: {
                  status: 'CREATE_IN_PROGRESS',
                  status_reason: 'Federation fleet is being created.',
                  project_id: 'shop',
                  updated_at: '2026-11-28T10:00:00.123Z',
                },
              },
            ],
          },
        },
      },
    })
  })

  it.each([
    ['cluster', 'create', 'success', 'CREATE_COMPLETE', 'INFO'],
    ['cluster', 'update', 'failure', 'UPDATE_FAILED', 'ERROR'],
    ['cluster', 'delete', 'pending', 'DELETE_IN_PROGRESS', 'INFO'],
    ['federation', 'delete', 'success', 'DELETE_COMPLETE', 'INFO'],
    ['federation', 'update', 'failure', 'UPDATE_FAILED', 'ERROR'],
  ] as const)(
    'tells of %s %s %s with the status %s and priority %s',
    (...[kind, action, outcome, status, priority]) => {
      const told = notificationOf(event({ owner: { kind, id: '0193' }, action, outcome }))
      expect(told?.['detail-type']).toBe(`magnum.${kind}.${action}`)
      expect(told?.detail).toMatchObject({
        priority,
        payload: { outcome, target: { typeURI: `service/magnum/${kind}`, attachments: [{ content: { status } }] } },
      })
    },
  )

  it('takes the first event of a change of one member for the beginning of an update', () => {
    for (const action of ['join', 'unjoin'] as const) {
      expect(notificationOf(event({ clusterId: 'c', action }))?.detail.payload).toMatchObject({
        action: 'update',
        outcome: 'pending',
        target: { id: '0193' },
      })
    }
  })

  it('says that fedplane itself did what nobody asked for at that moment', () => {
    const { initiator: _, ...unasked } = event({ outcome: 'success' })
    expect(notificationOf(unasked)?.detail.payload.initiator).toEqual({
      id: 'fedplane',
      typeURI: 'service/security/account/user',
      project_id: 'shop',
    })
  })

  it.each<[string, Partial<DomainEvent>]>([
    ['a member that joined', { clusterId: 'c', action: 'join', outcome: 'success', reason: 'Joined' }],
    ['a member that leaves with its federation', { clusterId: 'c', action: 'unjoin', reason: 'Leaving' }],
    ['a member that is not well', { clusterId: 'c', action: 'update', outcome: 'failure', reason: 'ClusterUnhealthy' }],
    ['a renewal', { action: 'rotate' }],
    ['a kubeconfig that was issued', { action: 'kubeconfig', outcome: 'success' }],
    ['a control plane that is not well', { action: 'update', outcome: 'failure', notify: false }],
  ])('is nothing for %s', (_, change) => {
    expect(notificationOf(event(change))).toBeUndefined()
  })

  it('comes after the event itself', () => {
    expect(outboxEvents(event()).map((it) => it['detail-type'])).toEqual([
      'federation.create.pending',
      'magnum.federation.create',
    ])
    expect(outboxEvents(event({ action: 'rotate' })).map((it) => it['detail-type'])).toEqual([
      'federation.rotate.pending',
    ])
  })
})
