import { describe, expect, it } from 'vitest'
import { clusterAccess, goneClusterAccess, namedAccess } from '../../../functions/core/access/cluster-access.ts'
import type { Ports } from '../../../functions/core/ports.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'
import { ConnectFailed } from '../../../functions/kubernetes/errors.ts'
import { sampleCluster } from '../../support/store/samples.ts'

type Script = { uid?: string | undefined; kubernetesApi?: boolean; failures?: number }

const lab = ({ uid = 'uid-1', kubernetesApi = true, failures = 0 }: Script = {}) => {
  const seen = { connects: 0, looks: 0, closed: 0, credential: '' }
  let left = failures
  const client = {
    get: async () => {
      seen.looks += 1
      if (left-- > 0) throw new Error('down')
      return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid } }
    },
    close: () => {
      seen.closed += 1
    },
  } as unknown as KubernetesClient
  const ports = {
    stores: {
      credentials: { get: async () => new Secret('sealed') },
      integrity: { requireCluster: async () => undefined },
    },
    drivers: {
      cluster: {
        resolve: () => ({
          id: 'external@1',
          capabilities: { kubernetesApi },
          connection: (_: unknown, credential: Secret) => {
            seen.credential = credential.reveal()
            return {}
          },
        }),
      },
    },
    connect: () => {
      seen.connects += 1
      return client
    },
  } as unknown as Ports
  return { seen, access: clusterAccess(ports, sampleCluster()), client, ports }
}

describe('clusterAccess', () => {
  it('opens once with the stored credential and compares the identity once', async () => {
    const { access, seen, client } = lab()
    const [one, two] = await Promise.all([access.client(), access.client()])
    expect(one).toBe(client)
    expect(two).toBe(client)
    expect(seen).toEqual({ connects: 1, looks: 1, closed: 0, credential: 'sealed' })
    access.close()
    expect(seen.closed).toBe(1)
  })

  it('refuses a cluster whose kube-system uid changed, and closes the client', async () => {
    const { access, seen } = lab({ uid: 'other' })
    await expect(access.client()).rejects.toMatchObject({ name: 'ClusterIdentityChanged' })
    expect(seen.closed).toBe(1)
  })

  it('says of an API server that is only simulated why it can not be used so', async () => {
    const { access, seen } = lab({ uid: '' })
    await expect(access.client()).rejects.toMatchObject({
      name: 'NotKubernetes',
      message: expect.stringMatching(
        / tells no uid of its kube-system namespace, .* neither host nor member of a federation\.$/,
      ),
    })
    expect(seen.closed).toBe(1)
  })

  it('does not compare what has no identity yet', async () => {
    const { seen, ports } = lab({ uid: 'any' })
    await clusterAccess(ports, sampleCluster({ identity: null })).client()
    expect(seen.looks).toBe(0)
  })

  it('tries again after a failure', async () => {
    const { access, seen } = lab({ failures: 1 })
    await expect(access.client()).rejects.toThrow('down')
    await access.client()
    expect(seen).toMatchObject({ connects: 2, closed: 1 })
  })

  it('has no client for a driver without a Kubernetes API', async () => {
    await expect(lab({ kubernetesApi: false }).access.client()).rejects.toMatchObject({ name: 'CredentialMissing' })
  })
})

describe('goneClusterAccess', () => {
  it('names the cluster and has no client', async () => {
    const access = goneClusterAccess({ projectId: 'p', id: 'c', name: 'edge' })
    expect(access.cluster).toMatchObject({ id: 'c', name: 'edge' })
    await expect(access.client()).rejects.toMatchObject({ name: 'ClusterGone' })
  })
})

describe('namedAccess', () => {
  const access = (message: string) => {
    const fail = () => Promise.reject(new ConnectFailed(message))
    const client = async () => ({ get: fail }) as unknown as KubernetesClient
    return namedAccess(
      { cluster: sampleCluster({ id: 'c-1', name: 'edge' }), client, dial: () => fail, close: () => {} },
      'Member',
    )
  }
  const said = async (message: string) => {
    const client = await access(message).client()
    return client.get({ group: '', version: 'v1', plural: 'namespaces' }, 'x').catch((error: Error) => error.message)
  }

  it('has failures name role, name and id of the cluster, once', async () => {
    expect(await said('GET /version failed.')).toBe('Member edge (c-1): GET /version failed.')
    expect(await said('Cluster edge (c-1) has another uid.')).toBe('Cluster edge (c-1) has another uid.')
  })
})
