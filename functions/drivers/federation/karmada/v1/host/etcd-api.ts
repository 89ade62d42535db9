import * as z from 'zod'
import { jsonOrNothing } from '../../../../../core/values/bounded-json.ts'
import { Secret } from '../../../../../core/values/secret.ts'
import { ANSWER_BOUNDS } from '../../../../../kubernetes/bounds.ts'
import type { Connection, KubernetesClient } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { listAll } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import { isReadyPod } from '../control-plane/ready-pod.ts'
import { ETCD } from '../names.ts'
import type { Pki } from '../pki/pki.schema.ts'
import { ETCD_CLIENT_PORT, memberHost } from './etcd-members.ts'
import { type HostWork, hostWork } from './host-work.ts'
import { componentSelector } from './plan.ts'
import { pods } from './resources.ts'

const Member = z.object({
  // A number of 64 bits, as text.
  ID: z.string(),
  peerURLs: z.array(z.string()).default([]),
  isLearner: z.boolean().default(false),
})
const Members = z.object({ members: z.array(Member) })
const Refusal = z.object({ message: z.string() })

/** One member of the cluster, as etcd itself knows it. */
export type EtcdMember = z.infer<typeof Member>

/** The membership API of etcd (its JSON gateway, etcd 3.6 `/v3/cluster/member/*`). */
export type EtcdApi = {
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
export const withEtcd = async <T>(
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
