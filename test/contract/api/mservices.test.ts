import { afterAll, beforeAll, expect, it } from 'vitest'
import { WORKERS } from '../../../functions/core/values/workers.ts'
import { sweepHealth } from '../../../functions/workers/health-sweep/sweep.ts'
import { reconcile } from '../../../functions/workers/reconciler/reconcile.ts'
import { renewDue } from '../../../functions/workers/renewals/renew.ts'
import { followDue } from '../../../functions/workers/selectors/follow-due.ts'
import { deliverDue } from '../../../functions/workers/trigger-deliveries/deliver.ts'
import { type Answer, type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { BOB } from '../../support/api/request.ts'

/** magnum-rest.md 7.5. */

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const TIME = expect.stringMatching(/\+00:00$/)

/** Services as they are seen some seconds after the last beat. */
const seenAfter = async (seconds: number): Promise<Answer['body']> => {
  const [last] = (await lab.stores.heartbeats.list()).toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
  const now = new Date(Date.parse(last!.updatedAt) + seconds * 1000)
  const app = lab.appOver({ clock: { now: () => now } })
  return (await callApp(app, 'GET', '/v1/mservices')).body.mservices
}

it('lists nobody before anybody ran', async () => {
  expect((await lab.call('GET', '/v1/mservices')).body).toEqual({ mservices: [] })
})

it('lists each worker from its first run on', async () => {
  await reconcile(lab.ports)
  await sweepHealth(lab.ports)
  await renewDue(lab.ports)
  await deliverDue(lab.ports, { policy: lab.ports.addressPolicy, resolver: async () => [] })
  await followDue(lab.ports)
  await reconcile(lab.ports)
  const { status, body } = await lab.call('GET', '/v1/mservices')
  expect(status).toBe(200)
  const common = {
    binary: 'magnum-conductor',
    state: 'up',
    disabled: false,
    disabled_reason: null,
    created_at: TIME,
    updated_at: TIME,
  }
  expect(body.mservices).toEqual([
    { id: 1, host: 'reconciler', report_count: 2, ...common },
    { id: 2, host: 'health-sweep', report_count: 1, ...common },
    { id: 3, host: 'renewals', report_count: 1, ...common },
    { id: 4, host: 'trigger-deliveries', report_count: 1, ...common },
    { id: 5, host: 'selectors', report_count: 1, ...common },
  ])
  expect(body.mservices.map(({ host }: { host: string }) => host).sort()).toEqual(WORKERS.toSorted())
})

it('says that a worker is down after three missed runs', async () => {
  const reconciler = (services: { host: string; state: string }[]) =>
    services.find(({ host }) => host === 'reconciler')?.state
  expect(reconciler(await seenAfter(180))).toBe('up')
  expect(reconciler(await seenAfter(181))).toBe('down')
})

it('does not count a run that failed', async () => {
  const stores = {
    ...lab.stores,
    work: {
      ...lab.stores.work,
      open: () => {
        throw new Error('the database is away')
      },
    },
  }
  await expect(reconcile({ ...lab.ports, stores })).rejects.toThrow('away')
  const [first] = (await lab.call('GET', '/v1/mservices')).body.mservices
  expect(first.report_count).toBe(2)
})

it('takes no parameters', async () => {
  expect((await lab.call('GET', '/v1/mservices?limit=1')).status).toBe(400)
})

it('is for administrators', async () => {
  expect((await lab.call('GET', '/v1/mservices', { as: BOB })).status).toBe(403)
})
