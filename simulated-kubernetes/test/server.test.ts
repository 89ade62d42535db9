import { afterEach, describe, expect, it } from 'vitest'
import { Secret } from '../../functions/core/values/secret.ts'
import { localPolicy } from '../../functions/kubernetes/address-guard.ts'
import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import { connectWith } from '../../functions/kubernetes/connect.ts'
import { CredentialRejected, PermissionDenied } from '../../functions/kubernetes/errors.ts'
import { type SimulatedKubernetes, type SimulationOptions, startSimulatedKubernetes } from '../start.ts'

const NAMESPACES = { group: '', version: 'v1', plural: 'namespaces' }
const NODES = { group: '', version: 'v1', plural: 'nodes' }
const inTeam = (plural: string) => ({ group: '', version: 'v1', plural, namespace: 'team' })

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

describe('the simulated Kubernetes API', () => {
  const open: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })

  const clientWith = ({ server, caPem }: SimulatedKubernetes, token: string): KubernetesClient => {
    const credential = { kind: 'token', token: new Secret(token) } as const
    const client = connectWith({ policy: localPolicy })({
      server,
      caPem,
      tlsServerName: null,
      tlsVerify: true,
      credential,
    })
    open.push(() => client.close())
    return client
  }
  const start = async (options: SimulationOptions = {}) => {
    const simulated = await startSimulatedKubernetes(options)
    open.push(() => simulated.close())
    return { simulated, admin: clientWith(simulated, simulated.token) }
  }
  const withAccount = async (options: SimulationOptions = {}) => {
    const world = await start(options)
    await world.admin.create(NAMESPACES, namespace('team'))
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } }
    await world.admin.create(inTeam('serviceaccounts'), account)
    return world
  }
  const requestToken = async (admin: KubernetesClient): Promise<string> => {
    const answer = await admin.post('/api/v1/namespaces/team/serviceaccounts/robot/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 600 },
    })
    return (answer.status as { token: string }).token
  }

  it('says that it is simulated', async () => {
    const { admin } = await start({ nodes: 2 })
    expect((await admin.version()).gitVersion).toBe('v1.36.0+simulated')
    const { items } = await admin.list(NODES)
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['simulated-node-1', 'simulated-node-2'])
  })

  it('has clusters of different identities', async () => {
    const uids = await Promise.all(
      [start(), start()].map(async (world) => (await (await world).admin.get(NAMESPACES, 'kube-system'))?.metadata.uid),
    )
    expect(new Set(uids).size).toBe(2)
  })

  it('lets a requested token expire', async () => {
    let now = Date.now()
    const { admin, simulated } = await withAccount({ now: () => new Date(now) })
    const robot = clientWith(simulated, await requestToken(admin))
    await expect(robot.list(NAMESPACES)).rejects.toBeInstanceOf(PermissionDenied)
    now += 601_000
    await expect(robot.list(NAMESPACES)).rejects.toBeInstanceOf(CredentialRejected)
  })

  it('does not take a token of an account that was made anew under the same name', async () => {
    const { admin, simulated } = await withAccount()
    const robot = clientWith(simulated, await requestToken(admin))
    await admin.delete(inTeam('serviceaccounts'), 'robot')
    await admin.create(inTeam('serviceaccounts'), {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'robot' },
    })
    await expect(robot.list(NAMESPACES)).rejects.toBeInstanceOf(CredentialRejected)
  })

  it('does not take an altered token', async () => {
    const { admin, simulated } = await withAccount()
    const [header, , signature] = (await requestToken(admin)).split('.')
    const claims = { namespace: 'kube-system', account: { name: 'default', uid: 'x' } }
    const forged = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
    await expect(clientWith(simulated, forged).list(NAMESPACES)).rejects.toBeInstanceOf(CredentialRejected)
  })

  it('leaves token Secrets empty without a token controller', async () => {
    const { admin } = await withAccount({ tokenController: false })
    await admin.create(inTeam('secrets'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'robot', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      type: 'kubernetes.io/service-account-token',
    })
    // What the controllers do for a later object tells that they have been at the earlier one.
    await admin.create(NAMESPACES, namespace('later'))
    const later = { ...inTeam('configmaps'), namespace: 'later' }
    await expect.poll(async () => (await admin.get(later, 'kube-root-ca.crt'))?.kind).toBe('ConfigMap')
    expect((await admin.get(inTeam('secrets'), 'robot'))?.data).toBeUndefined()
  })

  it('keeps a deleted namespace Terminating without a namespace controller', async () => {
    const { admin } = await withAccount({ namespaceController: false })
    const deleted = await admin.delete(NAMESPACES, 'team')
    expect(deleted?.status).toEqual({ phase: 'Terminating' })
    expect((await admin.list(inTeam('serviceaccounts'))).items).toHaveLength(1)
    expect((await admin.get(NAMESPACES, 'team'))?.metadata.deletionTimestamp).toBeDefined()
  })

  it('grants rights in one namespace by a RoleBinding, and for one name by resourceNames', async () => {
    const { admin, simulated } = await withAccount()
    const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespace: 'team' }
    await admin.create(
      { ...rbac, plural: 'roles' },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'one-secret' },
        rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get'] }],
      },
    )
    await admin.create(
      { ...rbac, plural: 'rolebindings' },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'one-secret' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'one-secret' },
        subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'team' }],
      },
    )
    await admin.create(inTeam('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine' } })
    const robot = clientWith(simulated, await requestToken(admin))
    expect((await robot.get(inTeam('secrets'), 'mine'))?.metadata.name).toBe('mine')
    await expect(robot.get(inTeam('secrets'), 'other')).rejects.toBeInstanceOf(PermissionDenied)
    await expect(robot.list(inTeam('secrets'))).rejects.toBeInstanceOf(PermissionDenied)
    await expect(robot.get({ ...inTeam('secrets'), namespace: 'default' }, 'mine')).rejects.toBeInstanceOf(
      PermissionDenied,
    )
  })
})
