import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConnectFailed } from '../../../functions/kubernetes/errors.ts'
import { givenCluster, readCluster } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type Answer, type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { CAROL, countsOf, givenManaged, givenManagement, ROOT } from '../../support/api/management.ts'
import { ALICE } from '../../support/api/request.ts'

/** Registered clusters as management clusters (decision 0017). */

let lab: ApiLab
beforeEach(async () => {
  lab = await createApiLab()
})
afterEach(() => lab.dispose())

const post = (body: object, as = ROOT): Promise<Answer> => lab.call('POST', '/v1/clusters', { as, body })
const register = (management: unknown, as = ROOT): Promise<Answer> =>
  post({ name: 'mgmt', kubeconfig: kubeconfigText(), management }, as)
const patch = (id: string, op: string, value?: unknown, as = ROOT): Promise<Answer> =>
  lab.call('PATCH', `/v1/clusters/${id}`, { as, body: [{ op, path: '/management', value }] })
const detailOf = ({ status, body }: Answer): [number, string] => [status, body.errors?.[0].detail]
const shown = async (id: string) => (await lab.call('GET', `/v1/clusters/${id}`, { as: ROOT })).body

const DEV = { infrastructure: 'dev' }

describe('POST /v1/clusters with "management"', () => {
  it('stores the role and shows it in every read but the plain list', async () => {
    const { body } = await register({ driver: 'managed@1', default: 'true', zone: 'north', ...DEV })
    const management = { driver: 'managed@1', default: true, infrastructure: 'dev', zone: 'north' }
    expect(await shown(body.uuid)).toMatchObject({ management, management_cluster: null })
    const detail = (await lab.call('GET', '/v1/clusters/detail', { as: ROOT })).body.clusters
    expect(detail[0].management).toEqual(management)
    expect((await lab.call('GET', '/v1/clusters', { as: ROOT })).body.clusters[0]).not.toHaveProperty('management')
    expect(await countsOf(lab)).toEqual({ [body.uuid]: 0 })
  })

  it('takes the only driver that needs management clusters, and null as absent', async () => {
    const { body } = await register(DEV)
    expect((await shown(body.uuid)).management).toEqual({ driver: 'managed@1', default: false, ...DEV })
    expect((await shown((await register(null)).body.uuid)).management).toBeNull()
  })

  it('is for administrators', async () => {
    const { status, body } = await register(DEV, CAROL)
    expect([status, body.errors[0].detail]).toEqual([403, expect.stringContaining('cluster:set_management')])
    expect((await lab.stores.clusters.list('blue', { limit: 10 })).items).toEqual([])
  })

  it.each([
    ['text', 'yes', '"management" must be an object'],
    ['no field', {}, '"management.infrastructure" is missing; it must be "dev" or "cloud".'],
    ['another value', { infrastructure: 'moon' }, '"management.infrastructure" must be "dev" or "cloud".'],
    ['an unknown field', { ...DEV, colour: 'red' }, 'Unknown: "management.colour".'],
    ['no boolean', { ...DEV, default: 'maybe' }, '"management.default" must be a boolean: true or false.'],
    ['a driver that needs none', { ...DEV, driver: 'memory@1' }, '"management.driver" is "memory@1"; it must be'],
    ['no driver', { ...DEV, driver: 7 }, '"management.driver" is not text; it must be'],
  ])('refuses %s', async (_, management, sentence) => {
    expect(detailOf(await register(management))).toEqual([400, expect.stringContaining(sentence)])
    expect(lab.executions.starts).toEqual([])
  })

  it('goes with clusters that are registered and have an API', async () => {
    expect(detailOf(await post({ name: 'm', driver: 'memory@1', management: DEV }))).toEqual([
      400,
      expect.stringContaining('"management" goes with a cluster that is registered'),
    ])
  })

  it('knows one default for each driver: another is a conflict, and nothing is stored', async () => {
    const first = await givenManagement(lab, { name: 'first', default: true })
    expect(detailOf(await register({ ...DEV, default: true }))).toEqual([
      409,
      expect.stringContaining(
        `The cluster ${first} is the default management cluster of the driver managed@1 already.`,
      ),
    ])
    expect(Object.keys(await countsOf(lab))).toEqual([first])
  })
})

describe('PATCH /management', () => {
  const plain = () => givenCluster(lab, { name: 'plain', as: ROOT, body: { kubeconfig: kubeconfigText() } })

  it('gives the role after an observation of the cluster, with what the driver warns of', async () => {
    const id = await plain()
    const seen: unknown[] = []
    lab.managed.findings = async ({ cluster, options }) => {
      seen.push([cluster.id, options])
      return [{ severity: 'warning', reason: 'Old', message: 'It is old.' }]
    }
    expect((await patch(id, 'add', { ...DEV, default: true })).status).toBe(202)
    expect(seen).toEqual([[id, DEV]])
    expect(await shown(id)).toMatchObject({
      management: { driver: 'managed@1', default: true, infrastructure: 'dev' },
      conditions: [{ type: 'ManagementReady', status: 'True', reason: 'CheckedWithWarnings', message: 'It is old.' }],
      status: 'CREATE_COMPLETE',
    })
    expect(detailOf(await patch(id, 'add', DEV))).toEqual([
      400,
      expect.stringContaining('"/management" is set already'),
    ])
  })

  it('refuses a cluster that lacks what the driver needs, with all of it', async () => {
    const id = await plain()
    lab.managed.findings = async () => [
      { severity: 'error', reason: 'A', message: 'It has no CRDs.' },
      { severity: 'error', reason: 'B', message: 'It is closed.' },
    ]
    expect(detailOf(await patch(id, 'replace', DEV))).toEqual([
      400,
      "Cluster plain can't be a management cluster of the driver managed@1: It has no CRDs. It is closed.",
    ])
    expect(await countsOf(lab)).toEqual({})
  })

  it('is 503 when it can not be reached', async () => {
    const id = await plain()
    lab.managed.findings = async () => {
      throw new ConnectFailed('The connection was refused.')
    }
    expect((await patch(id, 'add', DEV)).status).toBe(503)
    expect((await readCluster(lab, id, ROOT)).management).toBeNull()
  })

  it('is 503 when the observation finds that it can not be reached, whatever else it finds', async () => {
    const id = await plain()
    lab.managed.findings = async () => [
      { severity: 'warning', reason: 'Old', message: 'It is old.' },
      { severity: 'error', reason: 'A', message: 'It is closed.' },
      { severity: 'error', reason: 'ConnectFailed', message: 'The connection was reset.', retryable: true },
    ]
    expect(detailOf(await patch(id, 'add', DEV))).toEqual([
      503,
      "Cluster plain can't be checked as a management cluster at the moment: The connection was reset.",
    ])
    expect((await readCluster(lab, id, ROOT)).management).toBeNull()
  })

  it.each(['cloud', 'dev'])(
    'of a failed registration tries it again, with the role %s; the observation comes at its end',
    async (infrastructure) => {
      const id = await givenManagement(lab, { name: 'failed', status: 'CREATE_FAILED' })
      lab.managed.findings = async () => {
        throw new Error('it has no credential')
      }
      expect((await patch(id, 'replace', { infrastructure })).status).toBe(202)
      expect(await shown(id)).toMatchObject({
        status: 'CREATE_IN_PROGRESS',
        status_reason: null,
        management: { infrastructure },
      })
      expect(lab.executions.starts.at(-1)).toMatchObject({ flow: 'cluster-create', input: { entityId: id } })
    },
  )

  it('taken away from a failed registration leaves that as it is', async () => {
    const id = await givenManagement(lab, { name: 'failed', status: 'CREATE_FAILED' })
    expect((await patch(id, 'remove')).status).toBe(202)
    expect(await shown(id)).toMatchObject({ status: 'CREATE_FAILED', management: null })
    expect(await countsOf(lab)).toEqual({})
  })

  it('takes the role away, and again', async () => {
    const id = await givenManagement(lab, { name: 'mgmt', default: true })
    expect((await patch(id, 'remove')).status).toBe(202)
    expect((await patch(id, 'remove')).status).toBe(202)
    expect(await shown(id)).toMatchObject({ management: null, conditions: [] })
    // The default is free for another.
    await givenManagement(lab, { name: 'other', default: true })
  })

  it('changes nothing but the default while clusters are made through it', async () => {
    const id = await givenManagement(lab, { name: 'mgmt' })
    await givenManaged(lab)
    const inUse = `1 cluster is made through the management cluster ${id}; delete it first.`
    expect(detailOf(await patch(id, 'remove'))).toEqual([409, inUse])
    expect(detailOf(await patch(id, 'replace', { infrastructure: 'cloud' }))).toEqual([409, inUse])
    lab.managed.findings = async () => {
      throw new Error('it need not be within reach')
    }
    expect((await patch(id, 'replace', { ...DEV, default: true })).status).toBe(202)
    expect((await shown(id)).management).toEqual({ driver: 'managed@1', default: true, ...DEV })
    expect(await countsOf(lab)).toEqual({ [id]: 1 })
  })

  it('changes limits while clusters are made through it, and what stands beside them does not', async () => {
    const id = await givenManagement(lab, { name: 'mgmt' })
    await givenManaged(lab)
    lab.managed.findings = async () => {
      throw new Error('it need not be within reach')
    }
    expect((await patch(id, 'replace', { ...DEV, limit: '9' })).status).toBe(202)
    expect((await shown(id)).management).toMatchObject({ ...DEV, limit: '9' })
    lab.managed.findings = async () => []
    expect((await patch(id, 'replace', { ...DEV, limit: '9', zone: 'north' })).status).toBe(409)
    expect((await patch(id, 'replace', DEV)).status).toBe(202)
    expect(await countsOf(lab)).toEqual({ [id]: 1 })
  })

  it('moves the default in two steps', async () => {
    const old = await givenManagement(lab, { name: 'old', default: true })
    const id = await givenManagement(lab, { name: 'new' })
    expect((await patch(id, 'replace', { ...DEV, default: true })).status).toBe(409)
    expect((await patch(old, 'replace', DEV)).status).toBe(202)
    expect((await patch(id, 'replace', { ...DEV, default: true })).status).toBe(202)
  })

  it('is for administrators', async () => {
    const id = await givenCluster(lab, { body: { kubeconfig: kubeconfigText() } })
    expect((await patch(id, 'add', DEV, CAROL)).status).toBe(403)
    expect((await patch(id, 'add', DEV, ALICE)).status).toBe(202)
    expect((await patch(id, 'remove', undefined, CAROL)).status).toBe(403)
  })

  it.each([
    ['no object', 'add', 'yes', 'The value of "/management" must be an object'],
    ['an unknown field', 'add', { ...DEV, colour: 'red' }, 'Unknown: "management.colour".'],
  ])('refuses %s', async (_, op, value, sentence) => {
    expect(detailOf(await patch(await plain(), op, value))).toEqual([400, expect.stringContaining(sentence)])
  })

  it('refuses clusters without an API', async () => {
    const id = await givenCluster(lab, { as: ROOT })
    expect(detailOf(await patch(id, 'add', DEV))).toEqual([400, expect.stringContaining('have no Kubernetes API')])
  })

  it('goes alone', async () => {
    const { status, body } = await lab.call('PATCH', `/v1/clusters/${await plain()}`, {
      as: ROOT,
      body: { management: DEV, kubeconfig: kubeconfigText() },
    })
    expect([status, body.errors[0].detail]).toEqual([
      400,
      '"/kubeconfig" and "/management" can\'t be changed at once. Send 2 requests.',
    ])
  })
})

describe('DELETE of a management cluster', () => {
  const remove = (id: string) => lab.call('DELETE', `/v1/clusters/${id}`, { as: ROOT })

  it('is a conflict that counts the clusters made through it', async () => {
    const id = await givenManagement(lab, { name: 'mgmt' })
    await givenManaged(lab)
    await givenManaged(lab, { name: 'second' }, ALICE)
    expect(detailOf(await remove(id))).toEqual([
      409,
      `2 clusters are made through the management cluster ${id}; delete them first.`,
    ])
    expect((await shown(id)).status).toBe('CREATE_COMPLETE')
  })

  it('takes it out of the choice at once, and can be asked for again', async () => {
    const id = await givenManagement(lab, { name: 'mgmt', default: true })
    expect((await remove(id)).status).toBe(204)
    expect(await countsOf(lab)).toEqual({})
    await givenManagement(lab, { name: 'other', default: true })
    expect((await remove(id)).status).toBe(204)
  })
})
