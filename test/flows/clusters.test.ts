import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { candidateKey, kubeconfigKey } from '../../functions/core/access/credentials.ts'
import { Secret } from '../../functions/core/values/secret.ts'
import { MemoryClusters } from '../../functions/drivers/cluster/memory/v1/observe.ts'
import type { ClusterDriver } from '../../functions/drivers/contract/cluster-driver.ts'
import { ApiUnavailable, ClusterIdentityChanged, CredentialRejected } from '../../functions/kubernetes/errors.ts'
import { createCluster, deleteCluster, key, replaceKubeconfig } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { labClusterDriver } from '../support/flows/lab-cluster-driver.ts'
import { clusterOf, ended, history, messages } from '../support/flows/look.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const store = async (
  of: (ref: { projectId: string; id: string }) => Parameters<typeof lab.ports.stores.credentials.seal>[0],
  id: string,
  text: string,
) => {
  const { credentials, commit } = lab.ports.stores
  await commit([await credentials.seal(of(key(id)), new Secret(text))])
}
const stored = async (of: typeof kubeconfigKey, id: string) =>
  (await lab.ports.stores.credentials.get(of(key(id))))?.reveal()

describe('cluster-create', () => {
  it('ends with endpoint, identity and observation', async () => {
    const { id, ref } = await createCluster(lab, 'one')
    expect(await ended(lab, ref)).toBe('succeeded')
    expect(await clusterOf(lab, id)).toMatchObject({
      status: 'CREATE_COMPLETE',
      statusReason: null,
      operation: null,
      endpoint: { server: `https://${id}.memory.invalid:6443` },
      identity: { uid: `memory-${id}` },
      observation: { healthStatus: 'HEALTHY', nodeCount: 1 },
    })
    expect(await history(lab, 'cluster', id)).toEqual([
      'create pending Requested',
      'update success ClusterHealthy',
      'create success Created',
    ])
  })

  it('is CREATE_FAILED naming the other when it is registered already, and holds nothing', async () => {
    const first = await createCluster(lab, 'first', { labels: { 'memory-uid': 'same' } })
    await ended(lab, first.ref)
    const second = await createCluster(lab, 'second', { labels: { 'memory-uid': 'same' } })
    await store(kubeconfigKey, second.id, 'secret')
    expect(await ended(lab, second.ref)).toBe('failed')
    const cluster = await clusterOf(lab, second.id)
    expect(cluster?.status).toBe('CREATE_FAILED')
    expect(cluster?.statusReason).toMatch(
      new RegExp(`^ClusterAlreadyRegistered: .* as cluster "first" \\(${first.id}\\)`),
    )
    expect(lab.clusters.up.has(second.id)).toBe(false)
    expect(await stored(kubeconfigKey, second.id)).toBeUndefined()
  })

  it('gives its identity back when it fails after claiming it', async () => {
    lab.clusters.after = ({ name }) => {
      if (name === 'ensure:identify') throw new ClusterIdentityChanged('another cluster answers')
    }
    const failing = await createCluster(lab, 'failing', { labels: { 'memory-uid': 'wanted' } })
    expect(await ended(lab, failing.ref)).toBe('failed')
    lab.reset()
    const next = await createCluster(lab, 'next', { labels: { 'memory-uid': 'wanted' } })
    expect(await ended(lab, next.ref)).toBe('succeeded')
  })

  it('fails after bounded tries when the cluster can not be reached', async () => {
    lab.clusters.before = ({ name }) => {
      if (name === 'ensure:provision') throw new ApiUnavailable('The API server answered 503.')
    }
    const { id, ref } = await createCluster(lab, 'down')
    expect(await ended(lab, ref)).toBe('failed')
    expect(lab.clusters.calls.filter(({ name }) => name === 'ensure:provision')).toHaveLength(5)
    expect((await clusterOf(lab, id))?.statusReason).toBe('ApiUnavailable: The API server answered 503.')
  })

  it('asks for no other kubeconfig where the driver takes none', async () => {
    lab.clusters.before = ({ name }) => {
      if (name === 'ensure:provision') throw new CredentialRejected('The cluster answered 401.')
    }
    const { id, ref } = await createCluster(lab, 'refused')
    expect(await ended(lab, ref)).toBe('failed')
    expect((await clusterOf(lab, id))?.statusReason).toBe('CredentialRejected: The cluster answered 401.')
  })

  it('shows nothing of an error that is not its own', async () => {
    lab.clusters.before = () => {
      throw new TypeError('secret-token in a message')
    }
    const { id, ref } = await createCluster(lab, 'bug')
    expect(await ended(lab, ref)).toBe('failed')
    const { statusReason } = (await clusterOf(lab, id))!
    expect(statusReason).toMatch(/^StepFailed: /)
    expect(statusReason).not.toContain('secret-token')
  })
})

const made = async (labels: Record<string, string> = {}): Promise<string> => {
  const { id, ref } = await createCluster(lab, 'cluster', { labels })
  await ended(lab, ref)
  await store(kubeconfigKey, id, 'old')
  return id
}

describe('cluster-update', () => {
  it('puts a proved candidate in the place of the old credential', async () => {
    const id = await made()
    const credentials: (string | undefined)[] = []
    lab.clusters.before = async ({ name }, context) => {
      if (name === 'ensure:update') credentials.push((await context.credential())?.reveal())
    }
    expect(await ended(lab, await replaceKubeconfig(lab, key(id), 'new'))).toBe('succeeded')
    expect(credentials).toEqual(['new'])
    expect(await stored(kubeconfigKey, id)).toBe('new')
    expect(await stored(candidateKey, id)).toBeUndefined()
    expect(await clusterOf(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', operation: null })
  })

  it('keeps everything as it was when the candidate fails', async () => {
    const id = await made()
    lab.clusters.before = ({ name }) => {
      if (name === 'ensure:update') throw new ClusterIdentityChanged('another cluster answers')
    }
    const before = await clusterOf(lab, id)
    expect(await ended(lab, await replaceKubeconfig(lab, key(id), 'new'))).toBe('failed')
    const after = await clusterOf(lab, id)
    expect(after).toMatchObject({ status: 'UPDATE_FAILED', endpoint: before?.endpoint, identity: before?.identity })
    expect(await stored(kubeconfigKey, id)).toBe('old')
    expect(await stored(candidateKey, id)).toBeUndefined()
  })

  it('refuses a credential that leads to another cluster', async () => {
    const id = await made()
    const { clusters, commit } = lab.ports.stores
    const cluster = (await clusters.get(key(id)))!
    await commit([clusters.change(cluster, { magnum: { ...cluster.magnum, labels: { 'memory-uid': 'other' } } })])
    expect(await ended(lab, await replaceKubeconfig(lab, key(id), 'new'))).toBe('failed')
    expect((await clusterOf(lab, id))?.statusReason).toMatch(/^ClusterIdentityChanged: /)
    expect((await clusterOf(lab, id))?.identity?.uid).toBe(`memory-${id}`)
  })
})

describe('cluster-delete', () => {
  it('forgets the cluster, its credential and its claim', async () => {
    const id = await made({ 'memory-uid': 'again' })
    expect(await ended(lab, await deleteCluster(lab, id))).toBe('succeeded')
    expect(await clusterOf(lab, id)).toBeUndefined()
    expect(await stored(kubeconfigKey, id)).toBeUndefined()
    expect(lab.clusters.up.has(id)).toBe(false)
    expect((await history(lab, 'cluster', id)).at(-1)).toBe('delete success Deleted')
    await made({ 'memory-uid': 'again' }).then(async (next) =>
      expect((await clusterOf(lab, next))?.status).toBe('CREATE_COMPLETE'),
    )
  })

  it('is DELETE_FAILED when a phase fails, and stays', async () => {
    const id = await made({ 'memory-fail-phase': 'remove' })
    expect(await ended(lab, await deleteCluster(lab, id))).toBe('failed')
    expect(await clusterOf(lab, id)).toMatchObject({
      status: 'DELETE_FAILED',
      statusReason: expect.stringMatching(/^PlannedFailure: .*\. .* an administrator can delete it with \?force=true/),
      operation: null,
    })
  })

  it('takes over from a create that runs', async () => {
    const { id } = await createCluster(lab, 'slow', { labels: { 'memory-delay-seconds': '9999' } })
    expect(await ended(lab, await deleteCluster(lab, id))).toBe('succeeded')
    expect(await clusterOf(lab, id)).toBeUndefined()
  })

  it('by force waits two minutes for what does not go, and says what was left', async () => {
    let looks = 0
    const stuck: ClusterDriver = {
      ...labClusterDriver(new MemoryClusters()),
      phases: {
        ...labClusterDriver(new MemoryClusters()).phases,
        delete: [
          {
            id: 'machines',
            title: 'machines gone',
            deadlineSeconds: 1800,
            ensure: async () => {
              looks += 1
              forced.clock.advance(50_000)
              return { done: false, waitingFor: 'machine a to be gone' }
            },
          },
        ],
      },
    }
    const forced = await openFlowLab({ clusterDriver: stuck })
    try {
      const { id, ref } = await createCluster(forced, 'stuck')
      await ended(forced, ref)
      expect(await ended(forced, await deleteCluster(forced, id, { force: true }))).toBe('succeeded')
      expect(looks).toBe(3)
      expect((await messages(forced, 'cluster', id)).at(-1)).toMatch(
        /^Cluster stuck was deleted, but: machines gone failed \(PhaseTimedOut: .* was not over after 120 s; it was still waiting for machine a to be gone\.\)\.$/,
      )
    } finally {
      await forced.dispose()
    }
  })
})
