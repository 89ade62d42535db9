import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { Pending, step, type Trace } from '../../../../support/step.ts'
import { etcdManifest, type Membership } from '../host/etcd.ts'
import { type EtcdApi, type EtcdMember, withEtcd } from '../host/etcd-api.ts'
import { memberNames, peerUrl } from '../host/etcd-members.ts'
import { currentMembership } from '../host/etcd-membership.ts'
import { ensureAll, type HostWork, hostWork, requirePki } from '../host/host-work.ts'
import { requireImages } from '../host/image-fault.ts'
import { reasonOf } from '../host/reasons.ts'
import type { Pki } from '../pki/pki.schema.ts'

type Growing = { work: HostWork; trace: Trace; pki: Pki; etcd: EtcdApi }

const ordinalOf = ({ work }: Growing, { peerURLs }: EtcdMember): number =>
  memberNames(work.plan.properties.replicas).findIndex((name) => peerURLs.includes(peerUrl(work.plan, name)))

/** Brings the pod of a learner up, and gives it its vote once it has caught up. The other pods keep their template. */
const raise = async (growing: Growing, learner: EtcdMember): Promise<void> => {
  const { work, trace, pki, etcd } = growing
  const ordinal = ordinalOf(growing, learner)
  const membership: Membership = { members: ordinal + 1, state: 'existing', partition: ordinal }
  const [stateful] = await ensureAll(work, trace, [etcdManifest(work.plan, pki, membership)])
  try {
    await etcd.promote(learner.ID)
  } catch (error) {
    if (!(error instanceof Pending) || stateful === undefined) throw error
    await requireImages(work.site.client, stateful, work.time)
    const reason = await reasonOf(work.site.client, stateful)
    throw new Pending(`member ${ordinal} of etcd to catch up${reason === null ? '' : `; ${reason}`}`)
  }
}

/** One step: a learner that is there is raised, else the next is added. True when all have their vote. */
const grow = async (growing: Growing): Promise<boolean> => {
  const { work, etcd } = growing
  const members = await etcd.members()
  const learner = members.find(({ isLearner }) => isLearner)
  if (learner !== undefined) {
    await raise(growing, learner)
    return false
  }
  const next = memberNames(work.plan.properties.replicas)[members.length]
  if (next === undefined) return true
  await etcd.addLearner(peerUrl(work.plan, next))
  return false
}

/** From one member of etcd to three, one by one: first as a learner, which costs the cluster no majority while it comes up. */
export const growPhase: Phase<FederationContext> = {
  id: 'etcd-members',
  title: 'members of etcd',
  deadlineSeconds: 900,
  ensure: (context) =>
    step(async (trace) => {
      const work = await hostWork(context)
      const { members, state } = await currentMembership(work)
      const wanted = work.plan.properties.replicas
      // A StatefulSet that says three was made so, or is the last step of growing.
      if (members >= wanted && state === 'new') return {}
      const pki = await requirePki(context)
      const isGrown = await withEtcd(context, pki, (etcd) => grow({ work, trace, pki, etcd }))
      if (!isGrown) throw new Pending(`etcd to have ${wanted} members`)
      return {}
    }),
}
