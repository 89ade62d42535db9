import * as z from 'zod'
import { jsonOrNothing } from '../../../../../core/values/json.ts'
import { Secret } from '../../../../../core/values/secret.ts'
import { ANSWER_BOUNDS } from '../../../../../kubernetes/bounds.ts'
import type { Connection, KubernetesClient } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { listAll } from '../../../../support/owned.ts'
import { Pending, type Trace } from '../../../../support/step.ts'
import { isReadyPod } from '../control-plane/open.ts'
import {
  currentMembership,
  ETCD_CLIENT_PORT,
  etcdManifest,
  type Membership,
  memberHost,
  memberNames,
  peerUrl,
} from '../host/etcd.ts'
import { ensureAll, type HostWork, hostWork, inHost, requirePki } from '../host/host-work.ts'
import { componentSelector, pods } from '../host/plan.ts'
import { reasonOf } from '../host/reasons.ts'
import { requireImages } from '../host/rollout.ts'
import { ETCD } from '../model/names.ts'
import type { Pki } from '../pki/pki.schema.ts'

const Member = z.object({
  // A number of 64 bits, as text.
  ID: z.string(),
  peerURLs: z.array(z.string()).default([]),
  isLearner: z.boolean().default(false),
})
const Members = z.object({ members: z.array(Member) })
const Refusal = z.object({ message: z.string() })

/** One member of the cluster, as etcd itself knows it. */
type EtcdMember = z.infer<typeof Member>

/** The membership API of etcd (its JSON gateway, etcd 3.6 `/v3/cluster/member/*`). */
type EtcdApi = {
  members(): Promise<EtcdMember[]>
  /** A learner has no vote, so the majority stays what it was until it has caught up. */
  addLearner(peerUrl: string): Promise<void>
  /** @throws Pending while it has not caught up */
  promote(id: string): Promise<void>
}

const readyMember = async ({ site, namespace }: HostWork): Promise<string> => {
  const found = await listAll(site.client, pods(namespace), componentSelector(site.federationId, ETCD))
  const ready = found.filter(isReadyPod).map(({ metadata }) => metadata.name)
  const [first] = ready.toSorted((one, other) => one.localeCompare(other))
  if (first === undefined) throw new Pending('a member of etcd to be Ready')
  return first
}

const post = async <T>(client: KubernetesClient, path: string, body: object, shape: z.ZodType<T>): Promise<T> => {
  const answer = await client.raw(path, body)
  const parsed = jsonOrNothing(answer.body, ANSWER_BOUNDS.raw.values)
  if (answer.status === 200) return shape.parse(parsed)
  const { data } = Refusal.safeParse(parsed)
  throw new Pending(
    `etcd to take a change of its members; it answers ${answer.status}: ${data?.message ?? 'no reason'}`,
  )
}

const apiOf = (client: KubernetesClient): EtcdApi => ({
  members: async () => (await post(client, '/v3/cluster/member/list', {}, Members)).members,
  addLearner: async (peerUrl) => {
    await post(client, '/v3/cluster/member/add', { peerURLs: [peerUrl], isLearner: true }, z.looseObject({}))
  },
  promote: async (id) => {
    await post(client, '/v3/cluster/member/promote', { ID: id }, z.looseObject({}))
  },
})

/** Uses the API of a member that is Ready, through the host's API: etcd has no address outside of it. */
const withEtcd = async <T>(
  context: FederationContext,
  { authorities, leaves }: Pki,
  use: (api: EtcdApi) => Promise<T>,
): Promise<T> => {
  const work = await hostWork(context)
  const member = await readyMember(work)
  const connection: Connection = {
    server: `https://${memberHost(work.plan, member)}:${ETCD_CLIENT_PORT}`,
    caPem: authorities.etcd.certificate,
    tlsServerName: null,
    tlsVerify: true,
    credential: {
      kind: 'client-certificate',
      certificatePem: leaves['etcd-client'].certificate,
      keyPem: new Secret(leaves['etcd-client'].key),
    },
    dial: context.host.dial({ namespace: work.namespace, pod: member, port: ETCD_CLIENT_PORT }),
  }
  const client = context.connect(connection)
  try {
    return await use(apiOf(client))
  } finally {
    client.close()
  }
}

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
  ensure: inHost(async (work, trace, context) => {
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
