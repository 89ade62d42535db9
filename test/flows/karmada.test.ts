import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ApiApp, apiApp } from '../../functions/api/app.ts'
import { externalV1 } from '../../functions/drivers/cluster/external/v1/index.ts'
import { karmadaDriver } from '../../functions/drivers/federation/karmada/v1/index.ts'
import type { Connect } from '../../functions/kubernetes/client.ts'
import { localOpenApi } from '../../local/open-api.ts'
import { defaultBehaviour } from '../../simulated-kubernetes/behaviour.ts'
import type { ApiObject } from '../../simulated-kubernetes/types.ts'
import { callApp } from '../support/api/lab.ts'
import { CallBudget, counted } from '../support/drivers/call-budget.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { key } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { standInAsset } from '../support/karmada/crds.ts'
import { type KarmadaLab, openKarmadaLab, ownProperties } from '../support/karmada/lab.ts'
import { fates } from '../support/karmada/life.ts'
import { QUICK } from '../support/karmada/options.ts'
import { until as untilWithin } from '../support/local/engine-lab.ts'
import { defaultPolicy } from '../support/policy.ts'
import type { ManualClock } from '../support/store/contract-subject.ts'

/** karmada@1 through API, flows and engine, over simulated clusters: whole lives, and what they say when they fail. */

/** Time as it is, and what was skipped. */
const runningClock = (): ManualClock => {
  let skipped = 0
  return {
    now: () => new Date(Date.now() + skipped),
    advance: (milliseconds) => {
      skipped += milliseconds
    },
  }
}
/** The host's own. */
const hostClock = runningClock()

let clusters: KarmadaLab
let lab: FlowLab
let app: ApiApp
let budget = new CallBudget()
/** By name of the simulated cluster. */
const ids = new Map<string, string>()

/** A busy machine takes its time. */
const TIMEOUT_MS = 60_000
const until = <T>(probe: () => Promise<T | false>): Promise<T> => untilWithin(probe, TIMEOUT_MS)

/** Waits until a federation is in no progress, or is gone. */
const settled = (id: string): Promise<string> =>
  until(async () => {
    const federation = await lab.ports.stores.federations.get(key(id))
    if (federation === undefined) return 'gone'
    return !federation.status.endsWith('_IN_PROGRESS') && federation.status
  })

const call = async (method: string, target: string, body?: unknown) => {
  const answer = await callApp(app, method, target, body === undefined ? {} : { body })
  if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer
}

const register = async (name: string, kubeconfig: string): Promise<void> => {
  const { body } = await call('POST', '/v1/clusters', { name, kubeconfig })
  const status = await until(async () => {
    const seen = (await call('GET', `/v1/clusters/${body.uuid}`)).body.status as string
    return seen.endsWith('_IN_PROGRESS') ? false : seen
  })
  expect(status).toBe('CREATE_COMPLETE')
  ids.set(name, body.uuid)
}

beforeAll(async () => {
  clusters = await openKarmadaLab({ host: { now: () => hostClock.now() } })
  const counting: Connect = (connection) => counted(connect(connection), budget)
  lab = await openFlowLab({
    federationDriver: karmadaDriver(QUICK),
    clusterDriver: externalV1,
    connect: counting,
    asset: standInAsset,
    clock: runningClock(),
    pollMs: 300,
  })
  app = apiApp(lab.ports, {
    baseUrl: 'http://127.0.0.1:9511',
    trustForwarded: false,
    policy: defaultPolicy,
    openApi: localOpenApi,
    clustersPerProject: 1000,
  })
  const servers = [clusters.hostServer, ...clusters.memberServers]
  await Promise.all(
    servers.map((server, index) => register(['host', 'paris', 'tokyo'][index] ?? '', server.kubeconfig)),
  )
})
afterAll(async () => {
  await lab.dispose()
  await clusters.close()
})
afterEach(() => {
  lab.reset()
  budget = new CallBudget()
  const { balancerAddress } = defaultBehaviour()
  Object.assign(clusters.hostServer.behaviour, { balancerAddress })
  clusters.standIn.podFate = undefined
  clusters.standIn.refresh()
})

type Shown = {
  status: string
  status_reason: string | null
  member_ids: string[]
  conditions: { type: string; message: string }[]
  members: { state: string; name: string }[]
}

const show = async (id: string): Promise<Shown> => (await call('GET', `/v1/federations/${id}`)).body

const create = async (members: string[] = [], properties: Record<string, string> = {}): Promise<string> => {
  const { body } = await call('POST', '/v1/federations', {
    name: 'europe',
    hostcluster_id: ids.get('host'),
    member_ids: members.map((name) => ids.get(name)),
    properties: { ...ownProperties(), ...properties },
  })
  return body.uuid
}

const change = async (id: string, op: 'add' | 'remove', name: string): Promise<void> => {
  await call('PATCH', `/v1/federations/${id}`, [{ op, path: '/member_ids', value: ids.get(name) }])
  await settled(id)
}

type Death = () => void

const killed = (): Error => Object.assign(new Error('the process was killed'), { name: 'Lambda.Unknown' })

/** True at the first time of each. */
const firsts = (): ((which: unknown) => boolean) => {
  const seen = new Set<string>()
  return (which) => {
    const text = JSON.stringify(which)
    if (seen.has(text)) return false
    seen.add(text)
    return true
  }
}

/** Ways to die; each lets every step succeed in the end. */
const DEATHS: Readonly<Record<string, Death>> = {
  'not at all': () => undefined,
  'after each checkpoint, whose step is run again': () => {
    const isFirst = firsts()
    lab.intercept = async ({ step, event }, run) => {
      const result = await run()
      if (isFirst([step, event])) throw killed()
      return result
    }
  },
  'in each step at its first write, whose answer is lost': () => {
    const isFirst = firsts()
    lab.intercept = async ({ step, event }, run) => {
      // Steps of several executions run at a time: the kill may meet another one, and another one may lift it.
      const { kills } = budget
      const orders = isFirst([step, event])
      if (orders) budget.killAfter(1)
      try {
        return await run()
      } catch (error) {
        throw budget.kills > kills ? killed() : error
      } finally {
        if (orders) budget.lift()
      }
    }
  },
}

/** A whole life: what is seen at each rest, and what is left at its end. */
const live = async () => {
  const rests: unknown[] = []
  const rest = async (id: string): Promise<void> => {
    const { status, status_reason, members } = await show(id)
    rests.push([status, status_reason, members.map(({ name, state }) => `${name} ${state}`).sort()])
  }
  const id = await create(['paris'])
  await settled(id)
  await rest(id)
  await change(id, 'add', 'tokyo')
  await rest(id)
  await change(id, 'remove', 'paris')
  await rest(id)
  await call('DELETE', `/v1/federations/${id}`)
  return { rests, end: await settled(id), remains: await clusters.remains(id) }
}

describe('karmada@1 through the flows', { timeout: 120_000 }, () => {
  it('ends the same whenever the server is killed and run again', async () => {
    const ends = new Map<string, unknown>()
    for (const [how, die] of Object.entries(DEATHS)) {
      lab.reset()
      die()
      ends.set(how, await live())
    }
    const undisturbed = ends.get('not at all')
    expect(undisturbed).toMatchObject({
      end: 'gone',
      remains: [],
      rests: [['CREATE_COMPLETE', null, ['paris Ready']], expect.anything(), expect.anything()],
    })
    for (const [how, end] of ends) expect(end, how).toEqual(undisturbed)
  })

  it('ends before anything is made where the host can not take it, with all that is known beforehand', async () => {
    const properties = { ...ownProperties(), 'storage-class': 'absent' }
    budget.reset()
    const id = await create(['paris'], properties)
    await settled(id)
    expect(await show(id)).toMatchObject({
      status: 'CREATE_FAILED',
      status_reason: expect.stringMatching(/^PreflightFailed: Nothing was made\. StorageClassMissing: .*absent/),
      members: [{ state: 'JoinFailed' }],
    })
    expect(budget.writes).toEqual([])
    await call('DELETE', `/v1/federations/${id}`)
    expect(await settled(id)).toBe('gone')
  })

  it('tells of an address that leads nowhere from here, after a create and an update, until it is another', async () => {
    const id = await create([], { 'api-service-type': 'ClusterIP', 'api-endpoint': 'https://127.0.0.1:9' })
    await settled(id)
    const said = async (): Promise<string | undefined> => {
      const { conditions } = await show(id)
      return conditions.find(({ type }) => type === 'ControlPlaneReady')?.message
    }
    expect(await said()).toMatch(
      /^The control plane is up\. Its address https:\/\/127\.0\.0\.1:9 is not reached from here/,
    )
    // A dry run goes the way that a join itself goes: through the host's API.
    const { body } = await call('PATCH', `/v1/federations/${id}?dry_run=true`, [
      { op: 'add', path: '/member_ids', value: ids.get('paris') },
    ])
    expect(body).toMatchObject({ would_succeed: true, findings: [] })
    const move = [{ op: 'add', path: '/properties/api-endpoint', value: 'https://127.0.0.1:10' }]
    await call('PATCH', `/v1/federations/${id}`, move)
    await settled(id)
    expect(await show(id)).toMatchObject({ status: 'UPDATE_COMPLETE', endpoint: 'https://127.0.0.1:10' })
    expect(await said()).toContain('https://127.0.0.1:10 is not reached from here')
    await call('DELETE', `/v1/federations/${id}`)
    expect(await settled(id)).toBe('gone')
  })

  it('gives up a load balancer that never comes, says what was awaited, and leaves nothing', async () => {
    clusters.hostServer.behaviour.balancerAddress = () => undefined
    const id = await create()
    await until(async () => (await show(id)).status_reason?.includes('load balancer') === true)
    lab.clock.advance(400_000)
    await settled(id)
    expect(await show(id)).toMatchObject({
      status: 'CREATE_FAILED',
      status_reason: expect.stringMatching(/^PhaseTimedOut: .*load balancer's address of Service .*karmada-apiserver/),
    })
    expect(await clusters.remains(id)).toEqual([])
    await call('DELETE', `/v1/federations/${id}`)
    expect(await settled(id)).toBe('gone')
  })

  it('lets an update take the place of one that waits for an image, which fails by itself after two minutes', async () => {
    const images = ({ spec }: ApiObject): string => JSON.stringify(spec)
    clusters.standIn.podFate = (workload) =>
      images(workload).includes(':v1.18.99')
        ? { fate: 'waiting', reason: 'ErrImagePull', message: 'no such tag' }
        : undefined
    const id = await create(['paris'])
    await settled(id)
    const update = (tag: string) =>
      call('PATCH', `/v1/federations/${id}`, [{ op: 'add', path: '/properties/karmada-image-tag', value: tag }])
    const waits = () => until(async () => (await show(id)).status_reason?.includes('no such tag') === true)
    await update('v1.18.99')
    await waits()
    await update('v1.18.3')
    expect(await settled(id)).toBe('UPDATE_COMPLETE')
    expect(await show(id)).toMatchObject({ status_reason: null, members: [{ state: 'Ready' }] })
    await update('v1.18.99')
    await waits()
    for (const clock of [hostClock, lab.clock]) clock.advance(130_000)
    expect(await settled(id)).toBe('UPDATE_FAILED')
    expect((await show(id)).status_reason).toMatch(
      /^ImageNotPulled: Pod karmada-\S+ of Deployment karmada-\S+ can't get image docker\.io\/karmada\/karmada-\S+:v1\.18\.99 .*no such tag/,
    )
    await update('v1.18.2')
    expect(await settled(id)).toBe('UPDATE_COMPLETE')
    await call('DELETE', `/v1/federations/${id}`)
    expect(await settled(id)).toBe('gone')
  })

  it('gives up pods that never start, with their reason, and leaves nothing', async () => {
    const properties = ownProperties()
    const waiting = { fate: 'waiting', reason: 'ImagePullBackOff', message: 'no such image' } as const
    clusters.standIn.podFate = fates(properties.namespace, { 'karmada-scheduler': waiting })
    const id = await create(['paris'], properties)
    await until(async () => (await show(id)).status_reason?.includes('no such image') === true)
    lab.clock.advance(700_000)
    await settled(id)
    expect(await show(id)).toMatchObject({
      status: 'CREATE_FAILED',
      status_reason: expect.stringMatching(/^PhaseTimedOut: .*Deployment karmada-scheduler.*no such image/),
    })
    expect(await clusters.remains(id)).toEqual([])
    await call('DELETE', `/v1/federations/${id}`)
    expect(await settled(id)).toBe('gone')
  })
})
