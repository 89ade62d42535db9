import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import { sweepHealth } from '../../../functions/workers/health-sweep/sweep.ts'
import { reconcile } from '../../../functions/workers/reconciler/reconcile.ts'
import { follow } from '../../../functions/workers/selectors/follow-due.ts'
import type { Answer } from '../api/lab.ts'
import { ANA, BEN, openTwoProjects, type TwoProjects } from './two-projects.ts'

const PROJECT = ANA.projectId
const hosts = new Map<string, { hostClusterId: string }>()
const ENDPOINT = {
  server: 'https://10.0.0.1:6443',
  serverForPeers: null,
  caPem: null,
  tlsServerName: null,
  tlsVerify: true,
}

/** Federations whose clusters go down and come up, with a minute of sweeps at a time. */
export type PolicyLab = Awaited<ReturnType<typeof openPolicyLab>>

export const openPolicyLab = async () => {
  const two: TwoProjects = await openTwoProjects()
  const { lab } = two
  const { stores } = lab.ports
  const sick = new Set<string>()
  let groups = 0

  const script = (): void => {
    lab.clusters.before = ({ name, clusterId }) => {
      if (name === 'observe' && sick.has(clusterId)) throw new Error('connection refused')
    }
    lab.world.before = ({ name, clusterId }) => {
      if (name === 'cleanMember' && clusterId !== null && sick.has(clusterId)) throw new Error('connection refused')
    }
  }
  const view = async (id: string) => (await two.settled(id)).body
  const minute = async (): Promise<void> => {
    lab.clock.advance(60_000)
    await sweepHealth(lab.ports)
  }
  const federations: string[] = []
  const settle = async (): Promise<void> => {
    for (const id of federations) await two.settled(id)
  }
  const clusters = async (count: number, given: Partial<Cluster> = {}): Promise<string[]> => {
    const ids: string[] = []
    for (let index = 0; index < count; index++)
      ids.push(await two.cluster(ANA, `m${index}`, { endpoint: ENDPOINT, ...given }))
    return ids
  }
  const federate = async (body: Record<string, unknown>): Promise<string> => {
    const id = await two.federation(body)
    const made = await stores.federations.get({ projectId: PROJECT, id })
    if (made) hosts.set(id, made)
    federations.push(id)
    return id
  }
  return {
    two,
    view,
    reset: () => {
      sick.clear()
      federations.length = 0
      lab.reset()
      script()
    },
    down: (id: string | undefined) => sick.add(id ?? ''),
    up: (id: string | undefined) => sick.delete(id ?? ''),
    minutes: async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++) {
        await minute()
        await settle()
      }
    },
    /** A minute whose sweep dies after so many commits. */
    dyingMinute: async (after: number): Promise<void> => {
      let left = after
      const dying = async (...given: Parameters<typeof stores.commit>): Promise<void> => {
        await stores.commit(...given)
        if (left-- <= 0) throw new Error('killed')
      }
      lab.clock.advance(60_000)
      lab.world.after = ({ name }) => {
        if (name === 'cordonMember' && after % 2 === 0) throw new Error('killed')
      }
      await sweepHealth({ ...lab.ports, stores: { ...stores, commit: dying } })
      lab.world.after = undefined
      // What was committed and not launched.
      await reconcile(lab.ports)
      await settle()
    },
    federation: async (count: number, policy: Record<string, unknown>) => {
      const ids = await clusters(count)
      return { ids, id: await federate({ member_ids: ids, ...policy }) }
    },
    selected: async (count: number, policy: Record<string, unknown>) => {
      const group = `p${++groups}`
      const sample = await stores.clusters.get({ projectId: PROJECT, id: await two.cluster(ANA, 'sample') })
      if (sample === undefined) throw new Error('gone')
      const ids = await clusters(count, { magnum: { ...sample.magnum, labels: { group } } })
      const id = await federate({ member_selector: { labels: `group=${group}` }, ...policy })
      await follow(lab.ports, { projectId: PROJECT, id })
      await two.settled(id)
      return { ids, id }
    },
    /** A member of another project's, by a grant. */
    lent: async (policy: Record<string, unknown>) => {
      const cluster = await two.cluster(BEN, 'lent', { endpoint: ENDPOINT })
      const grant = await two.grant(cluster, { project_id: PROJECT, actions: ['join'], rights: 'view' })
      return { cluster, grant, id: await federate({ member_ids: [cluster], ...policy }) }
    },
    members: async (id: string): Promise<string[]> =>
      (await view(id)).members.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`).sort(),
    condition: async (id: string, type: string) =>
      (await view(id)).conditions.find((it: { type: string }) => it.type === type),
    reasons: async (id: string): Promise<string[]> =>
      (await stores.events.listOf(PROJECT, { kind: 'federation', id }, { limit: 1000 })).items.map(
        ({ reason }) => reason,
      ),
    patch: (id: string, op: string, path: string, value?: unknown): Promise<Answer> =>
      two.call(ANA, 'PATCH', `/v1/federations/${id}`, [{ op, path, ...(value === undefined ? {} : { value }) }]),
    cordoned: (id: string): string[] => cordonedIn(two, id),
    /** What contradicts the policy; empty: nothing. */
    isConsistent: async (id: string): Promise<string[]> => {
      const shown = await view(id)
      const cordoned = cordonedIn(two, id)
      const members = shown.members as Member[]
      const told = { policy: shown.on_unhealthy as string, isHeld: isHeld(shown.conditions), cordoned }
      const out = (shown.left_unhealthy_ids as string[]).filter((it) => !sick.has(it))
      return [
        ...members.flatMap((member) => faultsOf(member, sick.has(member.cluster_id), told)),
        ...out.map((it) => `${it} did not join again`),
      ]
    },
  }
}

type Member = { name: string; state: string; cordoned?: boolean; cluster_id: string }

const isHeld = (conditions: readonly { type: string; status: string }[]): boolean =>
  conditions.some(({ type, status }) => type === 'HealthPolicyHeld' && status === 'True')

/** What of a member contradicts the policy. One that is held may be as it was. */
const faultsOf = (
  { name, state, cordoned: said = false }: Member,
  isSick: boolean,
  told: { policy: string; isHeld: boolean; cordoned: readonly string[] },
): string[] => {
  const mustCordon = isSick && !told.isHeld && told.policy === 'cordon'
  const mustLeave = isSick && !told.isHeld && told.policy === 'unjoin'
  const mayBeCordoned = isSick && told.policy !== 'keep'
  const checks: [boolean, string][] = [
    [said !== told.cordoned.includes(name), `is shown as cordoned=${said}`],
    [said && !mayBeCordoned, 'is cordoned'],
    [mustCordon && !said, 'is not cordoned'],
    [mustLeave, 'did not leave'],
    [state !== (isSick ? 'Degraded' : 'Ready'), `is ${state}`],
  ]
  return checks.filter(([isWrong]) => isWrong).map(([, what]) => `${name} ${what}`)
}

/** Names of members that the host's control plane sends no new workloads. */
const cordonedIn = ({ lab }: TwoProjects, id: string): string[] => {
  const { hostClusterId } = hosts.get(id) ?? { hostClusterId: '' }
  return lab.world.holds(hostClusterId).flatMap((it) => /^MemoryCordon [^/]+\/(\S+) in /.exec(it)?.[1] ?? [])
}
