import { afterAll, beforeAll, expect, it } from 'vitest'
import { driverAnswer, driversAnswer } from '../../../functions/api/drivers/driver.answer.schema.ts'
import { CLUSTER_TASKS } from '../../../functions/core/cluster/cluster-task.ts'
import { givenCluster, settleFederation } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { sampleFederation } from '../../support/store/samples.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

it('lists each enabled driver once', async () => {
  const { body } = await lab.call('GET', '/v1/drivers')
  expect(body.drivers.map(({ id }: { id: string }) => id)).toEqual([
    'memory@1',
    'kube@1',
    'selfhost@1',
    'platform@1',
    'kubeconfig@1',
    'rigid@1',
    'managed@1',
  ])
  expect(driversAnswer.parse(body)).toEqual(body)
})

it('shows both sides of a driver that has two', async () => {
  const { body } = await lab.call('GET', '/v1/drivers/memory@1')
  expect(body).toMatchObject({
    id: 'memory@1',
    federation: {
      default: true,
      capabilities: { host_as_member: false, uses_kubernetes_api: false, kubeconfig: false, workloads: false },
      properties: [
        { key: 'color', description: 'Red or blue.', default: 'red' },
        { key: 'member-role', description: 'Any role.', default: null },
      ],
    },
    cluster: {
      capabilities: { needs_kubeconfig: false, kubernetes_api: false, makes_nodes: true, certificate_authority: true },
      builtin_template: null,
      updates: [...CLUSTER_TASKS],
    },
  })
  expect(driverAnswer.parse(body)).toEqual(body)
})

it('shows the built-in template of a driver, and the changes that it knows', async () => {
  const { body } = await lab.call('GET', '/v1/drivers/kubeconfig@1')
  expect(body.cluster).toMatchObject({
    builtin_template: {
      uuid: 'fed91a4e-0000-4000-8000-000000000001',
      name: 'external',
      links: [
        { href: expect.stringMatching(/\/v1\/clustertemplates\/fed91a4e-0000-4000-8000-000000000001$/), rel: 'self' },
        { rel: 'bookmark' },
      ],
    },
    updates: ['credential'],
  })
  expect((await lab.call('GET', '/v1/drivers/rigid@1')).body.cluster.updates).toEqual([])
})

it('shows null for the side that a driver has not', async () => {
  expect((await lab.call('GET', '/v1/drivers/kube@1')).body.cluster).toBeNull()
})

it('names the enabled drivers when one is unknown', async () => {
  const { status, body } = await lab.call('GET', '/v1/drivers/karmada@9')
  expect([status, body.errors[0].detail]).toEqual([
    404,
    'Driver "karmada@9" could not be found. Enabled are memory@1, kube@1, selfhost@1, platform@1, kubeconfig@1, rigid@1 and managed@1.',
  ])
})

it('makes nothing new with a driver that is disabled, and still manages what is there', async () => {
  const [host, member] = [await givenCluster(lab), await givenCluster(lab)]
  const refused = await lab.call('POST', '/v1/federations', { body: { hostcluster_id: host, driver: 'retired@1' } })
  expect([refused.status, refused.body.errors[0].detail]).toEqual([400, expect.stringContaining('retired@1')])
  expect((await lab.call('GET', '/v1/drivers/retired@1')).status).toBe(404)

  const old = sampleFederation({ driver: 'retired@1', hostClusterId: host, status: 'UPDATE_COMPLETE' })
  await lab.stores.commit([lab.stores.federations.insert(old)])
  await settleFederation(lab, old.id)
  const add = [{ op: 'add', path: '/member_ids', value: member }]
  expect((await lab.call('GET', `/v1/federations/${old.id}`)).status).toBe(200)
  expect((await lab.call('PATCH', `/v1/federations/${old.id}`, { body: add })).status).toBe(202)
  expect((await lab.call('DELETE', `/v1/federations/${old.id}`)).status).toBe(204)
})
