import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endClusterDelete } from '../../../functions/core/cluster/cluster-delete-end.ts'
import { newOperation } from '../../../functions/core/operation/launch.ts'
import { driverRegistry } from '../../../functions/drivers/registry.ts'
import { watchCalled } from '../../../functions/workers/cloud-calls/watch-called.ts'
import { changeCluster } from '../../support/api/entities.ts'
import { type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { ALICE } from '../../support/api/request.ts'
import { noAws } from '../../support/aws/no-aws.ts'
import { ACCOUNT, EKS_CALL_SAMPLES, eksCallEvent } from '../../support/eks/cloudtrail.ts'

describe('a call of EKS', () => {
  let lab: ApiLab
  let ports: ApiLab['ports']
  beforeAll(async () => {
    lab = await createApiLab()
    ports = { ...lab.ports, drivers: driverRegistry({ aws: noAws }, { enabledCluster: ['eks@1', 'memory@1'] }) }
  })
  afterAll(() => lab.dispose())

  const register = async (
    eks: object,
    projectId = ALICE.projectId,
  ): Promise<{ projectId: string; clusterId: string }> => {
    const as = { ...ALICE, projectId }
    const { status, body } = await callApp(lab.appOver(ports), 'POST', '/v1/clusters', { as, body: { eks } })
    expect(status, JSON.stringify(body)).toBe(202)
    return { projectId, clusterId: body.uuid }
  }
  const deleteUpdate = (name: string, more: object = {}) =>
    eksCallEvent({ eventName: 'DeleteCluster', requestParameters: { name }, ...more })
  const requestOf = (key: { projectId: string; clusterId: string }) => lab.stores.observeRequests.get(key)

  it('has the cluster observed in each project that registered it, at once and for a while', async () => {
    const [one, other] = [
      await register({ name: 'shop-1', region: 'eu-central-1' }),
      await register({ name: 'shop-1', region: 'eu-central-1' }, 'red'),
    ]
    const elsewhere = await register({ name: 'shop-1', region: 'eu-west-1' })
    for (const event of EKS_CALL_SAMPLES) {
      expect(await watchCalled(ports, event, ACCOUNT), String(event.detail.eventName)).toEqual({ watched: 2 })
    }
    for (const key of [one, other]) {
      // All of them are one request.
      expect(await requestOf(key)).toMatchObject({
        revision: 1,
        askedAt: expect.any(String),
        watchUntil: expect.any(String),
      })
    }
    expect(await requestOf(elsewhere)).toBeUndefined()
  })

  it('is of the account that the cluster is in: its role’s, or our own', async () => {
    const theirs = '444455556666'
    const own = await register({ name: 'far', region: 'eu-central-1' })
    const far = await register({ name: 'far', region: 'eu-central-1', role_arn: `arn:aws:iam::${theirs}:role/x` })
    expect(await watchCalled(ports, deleteUpdate('far', { account: theirs }), ACCOUNT)).toEqual({ watched: 1 })
    expect([await requestOf(own), (await requestOf(far))?.askedAt]).toEqual([undefined, expect.any(String)])
    expect(await watchCalled(ports, deleteUpdate('far', { account: '999900001111' }), ACCOUNT)).toEqual({ watched: 0 })
  })

  it('observes nothing when it names no cluster, one that nobody registered, or one that is gone', async () => {
    const gone = await register({ name: 'gone', region: 'eu-central-1' })
    const operation = newOperation(ports, 'delete', { deadlineSeconds: 60 })
    await changeCluster(lab, gone.clusterId, { status: 'DELETE_IN_PROGRESS', operation })
    const target = {
      projectId: gone.projectId,
      entityId: gone.clusterId,
      operationId: operation.id,
      attempt: operation.attempt,
    }
    await endClusterDelete(ports, target, [])
    expect(await lab.stores.clusters.findByCloudName('eks@1/eu-central-1/gone')).toEqual([])
    const none = eksCallEvent({ eventName: 'CreateNodegroup', requestParameters: {} })
    for (const event of [deleteUpdate('gone'), deleteUpdate('nobodys'), none, {}, null, { account: 1, detail: [] }]) {
      expect(await watchCalled(ports, event, ACCOUNT)).toEqual({ watched: 0 })
    }
  })
})
