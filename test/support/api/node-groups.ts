import type { NodeGroup, NodeGroupChange } from '../../../functions/core/cluster/node-group.ts'
import { changeCluster, givenCluster, readCluster, readGroups } from './entities.ts'
import type { Answer, ApiLab } from './lab.ts'
import type { CallOptions } from './request.ts'

const ENDPOINT = {
  server: 'https://api.example.com:6443',
  serverForPeers: null,
  caPem: null,
  tlsServerName: null,
  tlsVerify: true,
}

/** A cluster that node groups can be made in: complete and with an API address. */
export const givenReachable = async (lab: ApiLab, body: Record<string, unknown> = {}): Promise<string> => {
  const id = await givenCluster(lab, { body: { driver: 'memory@1', ...body } })
  await changeCluster(lab, id, { endpoint: ENDPOINT })
  return id
}

export type GroupCallOptions = CallOptions & { minor?: number }

/** Calls below `/v1/clusters/<cluster>/nodegroups`, in version 1.9 unless another is given. */
export const callGroups = (
  lab: ApiLab,
  method: string,
  target: `${string}/nodegroups${string}`,
  { minor = 9, headers = {}, ...options }: GroupCallOptions = {},
): Promise<Answer> =>
  lab.call(method, `/v1/clusters/${target}`, {
    ...options,
    headers: { 'OpenStack-API-Version': `container-infra 1.${minor}`, ...headers },
  })

/** Creates a group and fails on anything but 202. Its body. */
export const givenGroup = async (
  lab: ApiLab,
  cluster: string,
  body: Record<string, unknown> = {},
): Promise<Answer['body']> => {
  const answer = await callGroups(lab, 'POST', `${cluster}/nodegroups`, { body: { name: 'pool', ...body } })
  if (answer.status !== 202) throw new Error(`a node group was refused: ${answer.text}`)
  return answer.body
}

export const readGroup = async (lab: ApiLab, cluster: string, ident: string): Promise<NodeGroup> => {
  const group = (await readGroups(lab, cluster)).find(({ id, name }) => id === ident || name === ident)
  if (group === undefined) throw new Error(`there is no node group ${ident}`)
  return group
}

/** What a flow would write on a group. */
export const changeGroup = async (
  lab: ApiLab,
  cluster: string,
  ident: string,
  change: NodeGroupChange,
): Promise<void> => lab.stores.commit([lab.stores.nodeGroups.change(await readGroup(lab, cluster, ident), change)])

/** Another cluster like one that is there, with node groups like its ones: quicker than to make it through the API. */
export const copyCluster = async (lab: ApiLab, of: string): Promise<string> => {
  const { clusters, nodeGroups, commit } = lab.stores
  const id = lab.ports.newId()
  const [cluster, groups] = await Promise.all([readCluster(lab, of), readGroups(lab, of)])
  const copies = groups.map((group) => ({ ...group, id: lab.ports.newId(), clusterId: id, revision: 1 }))
  await commit([clusters.insert({ ...cluster, id, revision: 1 }), ...copies.map((group) => nodeGroups.insert(group))])
  return id
}
