import * as z from 'zod'
import { jsonBytes } from '../../../core/values/attribute-sizes.ts'
import type { HealthReading, KubernetesClient, KubernetesObject } from '../../../kubernetes/client.ts'
import { NotKubernetes, RequestTimedOut } from '../../../kubernetes/errors.ts'
import { nodes } from '../../../kubernetes/resources.ts'
import { pagesOf } from '../pages.ts'

/** Most nodes that the reason map names, not ready ones first, so that the stored item stays small. */
const NAMES_MAX = 100

/** Bytes of these names: a map of reasons has 16 KiB, and a hundred ordinary names 5. */
const NAMES_BYTES_MAX = 12 * 1024

/** Characters that the name of a node has at most in Kubernetes; a server may tell anything. */
const NAME_MAX = 253

/** Characters of what `/readyz` says that are kept: it is stored, and the server may tell anything. */
const READINESS_MAX = 500

/** Rows of a table of nodes have 200 to 350 bytes. */
const PAGE_ROWS = 500

/** Of all pages: tables of 20,000 nodes, or 400 whole ones. */
const NODES_BYTES_MAX = 8 * 1024 * 1024

/** Milliseconds in which pages are asked for: a server may answer each just in time, and tell that there is more, or more than is read. */
const NODES_MS = 30_000

/** Labels of control plane nodes begin so; `master` is the one of before Kubernetes 1.20, still found. A table tells the rest of the label. */
const ROLE_LABEL = 'node-role.kubernetes.io/'
const CONTROL_PLANE_ROLES = ['control-plane', 'master']

/** A node of a table, as kubectl shows it: `Ready,SchedulingDisabled` and `control-plane,etcd`. */
const Row = z.object({ cells: z.object({ Status: z.string(), Roles: z.string() }) })

/** A node whole, from servers that make no tables. */
const Whole = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }),
  status: z
    .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) })
    .default({ conditions: [] }),
})

type Seen = { isReady: boolean; isMaster: boolean }

const seenOf = (node: KubernetesObject): Seen => {
  const row = Row.safeParse(node)
  if (row.success) {
    const { Status, Roles } = row.data.cells
    const roles = Roles.split(',')
    return {
      isReady: Status.split(',').includes('Ready'),
      isMaster: CONTROL_PLANE_ROLES.some((role) => roles.includes(role)),
    }
  }
  const whole = Whole.safeParse(node)
  if (!whole.success) {
    throw new NotKubernetes('The cluster answered a list of its nodes in a form that no Kubernetes API server has.')
  }
  const { metadata, status } = whole.data
  return {
    isReady: status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
    isMaster: CONTROL_PLANE_ROLES.some((role) => `${ROLE_LABEL}${role}` in metadata.labels),
  }
}

/** Keeps numbers and at most 100 names of each kind, however many nodes there are. */
class NodeCount {
  all = 0
  masters = 0
  unready = 0
  readonly #names: { ready: string[]; unready: string[] } = { ready: [], unready: [] }

  add(node: KubernetesObject): void {
    const { isReady, isMaster } = seenOf(node)
    this.all += 1
    if (isMaster) this.masters += 1
    if (!isReady) this.unready += 1
    const names = isReady ? this.#names.ready : this.#names.unready
    if (names.length < NAMES_MAX) names.push(node.metadata.name.slice(0, NAME_MAX))
  }

  /** Magnum's map, not ready ones first. */
  reasons(): Record<string, string> {
    const { ready, unready } = this.#names
    const named = [...unready.map((name) => [name, 'False'] as const), ...ready.map((name) => [name, 'True'] as const)]
    let bytes = 0
    const kept = named.slice(0, NAMES_MAX).filter(([name]) => {
      bytes += jsonBytes(name)
      return bytes <= NAMES_BYTES_MAX
    })
    return Object.fromEntries(kept.map(([name, isReady]) => [`${name}.Ready`, isReady]))
  }
}

/** Asks for no page once the time is over, nor for a smaller one. */
const listingInTime = (client: KubernetesClient): KubernetesClient => {
  const until = performance.now() + NODES_MS
  return {
    ...client,
    list: async (...asked) => {
      if (performance.now() <= until) return client.list(...asked)
      throw new RequestTimedOut(`The nodes of the cluster were not listed to their end within ${NODES_MS / 1000} s.`)
    },
  }
}

/** Counts the nodes and sees which are ready. A cluster may well have none: a bare control plane, or all scaled away. */
const countNodes = async (client: KubernetesClient): Promise<NodeCount> => {
  const count = new NodeCount()
  const options = { table: true, objects: PAGE_ROWS, bytesMax: NODES_BYTES_MAX }
  for await (const page of pagesOf(listingInTime(client), nodes, options)) {
    for (const node of page) count.add(node)
  }
  return count
}

/** `ok`, or what `/readyz` says is not. */
const readiness = async (client: KubernetesClient): Promise<string> => {
  const { status, body } = await client.raw('/readyz')
  if (status === 200) return 'ok'
  const failed = body
    .split('\n', READINESS_MAX)
    .filter((line) => line.startsWith('[-]'))
    .map((line) => line.slice('[-]'.length).split(' ')[0])
  const said = `GET /readyz answers ${status}${failed.length === 0 ? '' : `: ${failed.join(', ')} failed`}`
  return said.length > READINESS_MAX ? `${said.slice(0, READINESS_MAX)}…` : said
}

/** Reads a cluster's health, call by call. @throws the errors of the client, ListTooLong */
export const readHealth = async (client: KubernetesClient): Promise<HealthReading> => {
  const [api, version, count] = await Promise.all([readiness(client), client.version(), countNodes(client)])
  return {
    api,
    version: version.gitVersion || null,
    nodeCount: count.all - count.masters,
    masterCount: count.masters,
    allNodesReady: count.unready === 0,
    nodes: count.reasons(),
  }
}
