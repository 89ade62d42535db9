import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { giveUp } from '../../../functions/core/operation/give-up.ts'
import type { DomainEvent } from '../../../functions/core/values/event.ts'
import { givenRegistered } from '../../support/api/certificates.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { ALICE } from '../../support/api/request.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const eventsOf = async (kind: 'cluster' | 'federation', id: string): Promise<DomainEvent[]> =>
  (await lab.stores.events.listOf(ALICE.projectId, { kind, id }, { limit: 10 })).items

const ASKED = { initiator: { userId: ALICE.userId, projectId: ALICE.projectId } }

describe('events of requests', () => {
  it('say who asked, and the name of what it is about', async () => {
    const host = await givenRegistered(lab, '', { name: 'paris' })
    expect(await eventsOf('cluster', host)).toMatchObject([{ action: 'create', name: 'paris', ...ASKED }])
    const { body } = await lab.call('POST', '/v1/federations', {
      body: { name: 'fleet', hostcluster_id: host, driver: 'kube@1' },
    })
    expect(await eventsOf('federation', body.uuid)).toMatchObject([{ action: 'create', name: 'fleet', ...ASKED }])
  })

  it('are distinguished from what fedplane does later', async () => {
    const answer = await lab.call('POST', '/v1/clusters', {
      body: { name: 'tokyo', kubeconfig: kubeconfigText() },
    })
    const cluster = await lab.stores.clusters.get({ projectId: ALICE.projectId, id: answer.body.uuid })
    const { id: entityId, projectId, operation } = cluster!
    await giveUp(
      lab.ports,
      { flow: 'cluster-create', projectId, entityId, operation: operation! },
      { reason: 'Lost', message: 'It was lost.' },
    )
    const [asked, ended] = await eventsOf('cluster', entityId)
    expect(asked).toMatchObject(ASKED)
    expect(ended).toMatchObject({ outcome: 'failure', name: 'tokyo' })
    expect(ended).not.toHaveProperty('initiator')
  })
})
