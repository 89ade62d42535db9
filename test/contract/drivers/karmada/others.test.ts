import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { madeBefore } from '../../../../functions/drivers/contract/phase.ts'
import { withControlPlane } from '../../../../functions/drivers/federation/karmada/v1/control-plane/open.ts'
import { CLUSTER_NAME_LABEL } from '../../../../functions/drivers/federation/karmada/v1/member/claims.ts'
import { clusters, works } from '../../../../functions/drivers/federation/karmada/v1/member/names.ts'
import { memberObjectName } from '../../../../functions/drivers/support/member/tokens.ts'
import type { KubernetesClient, Resource } from '../../../../functions/kubernetes/client.ts'
import { RequestTimedOut } from '../../../../functions/kubernetes/errors.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  namespaces,
  serviceAccounts,
} from '../../../../functions/kubernetes/resources.ts'
import { untilDone } from '../../../support/drivers/until-done.ts'
import { type KarmadaLab, openKarmadaLab } from '../../../support/karmada/lab.ts'
import { KarmadaLife } from '../../../support/karmada/life.ts'

const TIMEOUT_MS = 60_000
const IMPERSONATOR = 'karmada-impersonator'

/** Whatever is asked of Secrets hangs. */
const withoutSecrets = (client: KubernetesClient): KubernetesClient =>
  new Proxy(client, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) =>
        (given[0] as Partial<Resource> | undefined)?.plural === 'secrets'
          ? Promise.reject(new RequestTimedOut('Secrets hang.'))
          : value.apply(target, given)
    },
  })

describe('karmada@1 and others in a member', { timeout: TIMEOUT_MS }, () => {
  let lab: KarmadaLab
  let one: KarmadaLife
  let other: KarmadaLife
  beforeAll(async () => {
    lab = await openKarmadaLab()
    one = new KarmadaLife(lab, {}, { workTimeoutSeconds: 0 })
    other = new KarmadaLife(lab, {}, { workTimeoutSeconds: 0 })
    await Promise.all([one.create(), other.create()])
  }, TIMEOUT_MS)
  afterAll(async () => {
    for (const life of [one, other]) {
      await life.delete()
      expect(await lab.remains(life.federation.id)).toEqual([])
    }
    await lab.close()
  }, TIMEOUT_MS)
  beforeEach(() => {
    other.nameSuffix = '-too'
  })
  afterEach(async () => {
    for (const life of [one, other]) {
      for (const { access } of [...life.members.values()]) await life.unjoin(access)
    }
  })

  const paris = () => lab.clusters[1]!
  const seen = (life: KarmadaLife) => life.driver.observeMember(life.memberContext(life.member(paris())))
  const swept = async (life: KarmadaLife) =>
    (await life.driver.observe!(life.context())).members.get(paris().cluster.id)
  const findings = async (life: KarmadaLife) =>
    (await life.driver.checkMember(life.memberContext(life.member(paris())))).findings

  const upstreamAccount = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: 'karmada-cluster' },
  })
  /** What `karmadactl join NAME` leaves in a member. */
  const joinUpstream = async (name: string): Promise<void> => {
    const { admin } = paris()
    await admin.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'karmada-cluster' } })
    for (const account of [IMPERSONATOR, `karmada-${name}`]) {
      await admin.apply(serviceAccounts('karmada-cluster'), upstreamAccount(account))
    }
  }
  const unjoinUpstream = async (): Promise<void> => {
    const { admin } = paris()
    await admin.delete(namespaces, 'karmada-cluster')
    await untilDone(async () => ({
      done: (await admin.get(namespaces, 'karmada-cluster')) === undefined,
      waitingFor: 'namespace karmada-cluster to be gone',
    }))
  }

  it('is refused a name that another federation has for the member', async () => {
    await one.join(one.member(paris()))
    other.nameSuffix = ''
    expect(await findings(other)).toEqual([
      expect.objectContaining({
        severity: 'error',
        reason: 'MemberNameTaken',
        message: expect.stringContaining(one.federation.id),
      }),
      expect.objectContaining({ severity: 'warning', reason: 'ProxyDisabled' }),
    ])
    await expect(other.prepare(other.member(paris()))).rejects.toMatchObject({ name: 'MemberNameTaken' })
    expect(await findings(one)).toEqual([])
  })

  it('lets one of two have a name that both ask for at the same moment', async () => {
    other.nameSuffix = ''
    const results = await Promise.allSettled([one, other].map((life) => life.prepare(life.member(paris()))))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { name: 'MemberNameTaken' } })
  })

  it('leaves clusters/proxy to one of two that join at the same moment', async () => {
    await Promise.all([one, other].map((life) => life.join(life.member(paris()))))
    const said = await Promise.all([one, other].map(seen))
    expect(said.filter((it) => it.state === 'ready' && it.reason === undefined)).toHaveLength(1)
    expect(said.filter((it) => it.state === 'ready' && it.reason === 'ProxyDisabled')).toHaveLength(1)
    const holder = said.findIndex((it) => !('reason' in it)) === 0 ? one : other
    const binding = await paris().admin.get(clusterRoleBindings, IMPERSONATOR)
    expect(binding).toMatchObject({ subjects: [{ namespace: memberObjectName(holder.federation.id) }] })
  })

  it('works beside a Karmada that has the member by another name, and says when that one is gone', async () => {
    await joinUpstream('lutetia')
    expect(await findings(one)).toEqual([expect.objectContaining({ severity: 'warning', reason: 'ProxyDisabled' })])
    await one.join(one.member(paris()))
    expect(await seen(one)).toMatchObject({
      state: 'ready',
      reason: 'ProxyDisabled',
      message: expect.stringContaining('objects of its own'),
    })
    await unjoinUpstream()
    for (const said of [await seen(one), await swept(one)]) {
      expect(said).toMatchObject({
        state: 'ready',
        reason: 'ProxyDisabled',
        message: expect.stringContaining('renewal'),
      })
    }
    await one.rotate(one.member(paris()))
    expect(await seen(one)).toEqual({ state: 'ready' })
  })

  it('does not join under the name that another Karmada has for the member', async () => {
    await joinUpstream('paris')
    const reasons = (await findings(one)).map(({ reason }) => reason)
    expect(reasons).toContain('MemberNameTaken')
    await unjoinUpstream()
    expect(await findings(one)).toEqual([])
  })

  it.each(['observe', 'rotation'])('leaves clusters/proxy to a Karmada that joins later, seen by %s', async (by) => {
    await one.join(one.member(paris()))
    await untilDone(async () => ({
      done: (await paris().admin.get(clusterRoleBindings, IMPERSONATOR)) !== undefined,
      waitingFor: 'Karmada to make its binding',
    }))
    await joinUpstream('lutetia')
    if (by === 'observe') expect(await swept(one)).toMatchObject({ state: 'ready', reason: 'ProxyDisabled' })
    else await one.rotate(one.member(paris()))
    await withControlPlane(one.context(), async (client) => {
      const cluster = await client.get(clusters, 'paris')
      expect(cluster?.spec).not.toHaveProperty('impersonatorSecretRef')
      await untilDone(async () => {
        const { items } = await client.list(works('karmada-es-paris'))
        const left = items.filter(({ metadata }) => metadata.name.startsWith(IMPERSONATOR))
        return { done: left.length === 0, waitingFor: 'Works of the impersonator to be gone' }
      })
    })
    expect(await swept(one)).toMatchObject({ state: 'ready', reason: 'ProxyDisabled' })
    await unjoinUpstream()
  })

  it('notes what Karmada makes in the member for itself, so that a forced unjoin tells it', async () => {
    const { made } = (await joined(one)).membership
    for (const kind of ['ClusterRole', 'ClusterRoleBinding']) {
      expect(made).toContainEqual(expect.objectContaining({ where: 'member', kind, name: IMPERSONATOR }))
    }
    expect(
      await paris().admin.get(
        serviceAccounts(memberObjectName(one.federation.id)),
        memberObjectName(one.federation.id),
      ),
    ).toMatchObject({ metadata: { labels: { [CLUSTER_NAME_LABEL]: 'paris' } } })
  })

  it('tells what it made in a member before a call failed, and takes back the rest of it meanwhile', async () => {
    const name = memberObjectName(one.federation.id)
    const context = one.memberContext(one.member(paris()))
    const { admin } = paris()
    const limping = { ...context, member: { ...context.member, client: async () => withoutSecrets(admin) } }
    const error = await one.driver.prepareMember(limping).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(RequestTimedOut)
    const kinds = madeBefore(error).map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'Namespace',
      'ServiceAccount',
      'ServiceAccount',
    ])
    await expect(one.driver.cleanMember(limping)).rejects.toBeInstanceOf(RequestTimedOut)
    expect(await admin.get(clusterRoleBindings, name)).toBeUndefined()
    expect(await admin.get(clusterRoles, name)).toBeUndefined()
    expect(await admin.get(serviceAccounts(name), name)).toBeUndefined()
  })

  const joined = async (life: KarmadaLife) => {
    await life.join(life.member(paris()))
    return life.memberContext(life.member(paris()))
  }
})
