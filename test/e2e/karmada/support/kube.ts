import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { ClustersUnavailable, type DemoCluster } from '../../../../local/clusters/take-clusters.ts'

const run = promisify(execFile)

/** Scripts that start real clusters; their README tells how to build what they start. */
const KUBE = path.resolve(process.env.FEDPLANE_E2E_KUBE || path.join(import.meta.dirname, '../../../../../shared/kube'))
/** Where they keep what runs. */
const RUN =
  process.env.FEDLAB_RUN || path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'fedlab/run')
/** The machine itself on the bridge that joins all nodes: what their pods can reach of it. */
const MACHINE = '10.211.0.1'
/** Each node has a network of its own, so all may use the same. */
const NODE_PORT = 17_200

/** What node-up notes about a node, as far as it is used. */
const NodeFile = z.object({ pods: z.string(), services: z.string(), node_ip: z.string() })

const HOW =
  'These tests need real clusters: run ../shared/kube/build k8s karmada node capi, or let FEDPLANE_E2E_KUBE name the folder with ' +
  'node/node-up, kube-up and capi-up.'

/** Unique on this machine; also a host name. */
let count = 0
const nameFor = (role: string): string => {
  count += 1
  return `fp${process.pid}-${count}-${role}`
}

/** Runs a script; what it says is part of the error. @throws ClustersUnavailable */
const script = async (file: string, ...args: string[]): Promise<void> => {
  const program = path.join(KUBE, file)
  if (!existsSync(program)) throw new ClustersUnavailable(`There is no ${program}. ${HOW}`)
  try {
    await run(program, args)
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string }
    throw new ClustersUnavailable(`${file} ${args.join(' ')} failed: ${stderr.trim() || stdout.trim()} ${HOW}`)
  }
}

/**
 * Takes the machine's routes to a node away. node-down leaves them, and then node-up can't add them for the next node with the same number. Before
 * node-down: the number is this node's until then.
 */
const dropRoutes = async (name: string): Promise<void> => {
  const { pods, services, node_ip } = NodeFile.parse(
    JSON.parse(await readFile(path.join(RUN, name, 'node.json'), 'utf8')),
  )
  for (const net of [pods, services]) await run('ip', ['route', 'flush', net, 'via', node_ip])
}

/** A cluster of our own. `close` can be called twice. */
export type OwnCluster = DemoCluster & {
  /** The kubeconfig. */
  file: string
  /** Where its files are. */
  folder: string
  close(): Promise<void>
}

type Started = { set: string; name: string; role: string; down: () => Promise<void> }

const started = async ({ set, name, role, down }: Started): Promise<OwnCluster> => {
  const folder = path.join(RUN, set)
  const file = path.join(folder, `${name}.kubeconfig`)
  let closing: Promise<void> | undefined
  return {
    name: role,
    kubeconfig: await readFile(file, 'utf8'),
    context: name,
    file,
    folder,
    close: () => {
      closing ??= down()
      return closing
    },
  }
}

export type NodeOptions = {
  /** Services of type LoadBalancer stay pending. */
  noBalancers?: boolean
  /** Claims stay pending, and there is no StorageClass. */
  noVolumes?: boolean
  /** Enforced in every namespace without a label of its own. */
  podSecurity?: 'baseline' | 'restricted'
}

const stopNode = async (name: string): Promise<void> => {
  if (!existsSync(path.join(RUN, name, 'node.json'))) return
  await dropRoutes(name)
  await script('node/node-down', name)
}

/**
 * A one-node cluster whose pods run.
 *
 * @param role the name that it is registered under
 */
export const startNode = async (role: string, options: NodeOptions = {}): Promise<OwnCluster> => {
  const name = nameFor(role)
  const down = () => stopNode(name)
  const up = () =>
    script(
      'node/node-up',
      ...(options.noBalancers ? ['--no-balancers'] : []),
      ...(options.noVolumes ? ['--no-volumes'] : []),
      ...(options.podSecurity === undefined ? [] : ['--pod-security', options.podSecurity]),
      name,
      String(NODE_PORT),
    )
  try {
    // Somebody else's node may have left its routes for this number: the first attempt's end takes them away.
    await up().catch(() => down().then(up))
    return await started({ set: name, name, role, down })
  } catch (error) {
    await down().catch(() => undefined)
    throw error
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

/**
 * API servers with controllers and without nodes, which pods of nodes can reach. They need a node, whose bridge they listen on. Several share what
 * starts and ends them: closing one closes all.
 */
export const startBares = async (roles: readonly string[]): Promise<OwnCluster[]> => {
  const set = nameFor('bare')
  const stop = () => script('kube-down', set)
  let closing: Promise<void> | undefined
  const down = () => {
    closing ??= stop()
    return closing
  }
  try {
    const ports = await Promise.all(roles.map(freePort))
    await script('kube-up', '--address', MACHINE, set, ...ports.map(String))
    const nameOf = (at: number): string => (roles.length === 1 ? set : `${set}-${at + 1}`)
    return await Promise.all(roles.map((role, at) => started({ set, name: nameOf(at), role, down })))
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }
}

export const startBare = async (role: string): Promise<OwnCluster> => {
  const [cluster] = await startBares([role])
  if (cluster === undefined) throw new ClustersUnavailable(`No cluster was started for ${role}.`)
  return cluster
}

/** A Karmada control plane of processes, on loopback: its statuses change after 1 s instead of 30. */
export const startKarmada = async (): Promise<OwnCluster> => {
  const name = nameFor('karmada')
  const down = () => script('kube-down', name)
  try {
    await script('karmada-up', '--fast', name, String(await freePort()))
    return await started({ set: name, name, role: 'karmada', down })
  } catch (error) {
    await down().catch(() => undefined)
    throw error
  }
}

/**
 * An API server with the real Cluster API and its in-memory infrastructure. One at a time on a machine: the API servers of the clusters that it makes
 * are on ports from 20000 on. Needs ../shared/kube/build capi.
 */
export const startManagement = async (role: string): Promise<OwnCluster> => {
  const name = nameFor('capi')
  const down = () => script('kube-down', name)
  try {
    await script('capi-up', name, String(await freePort()))
    return await started({ set: name, name, role, down })
  } catch (error) {
    await down().catch(() => undefined)
    throw error
  }
}

/** A program of the build: karmadactl, kubectl. */
export const programOf = (name: string): string => path.join(path.dirname(RUN), 'bin', name)

/** Karmada's own way to set itself up: `karmadactl init` on a node; its kubeconfig. */
export const karmadactlInit = async (node: OwnCluster): Promise<string> => {
  await script('node/karmada-init', node.context, '--etcd-storage-mode', 'PVC', '--storage-classes-name', 'standard')
  return path.join(node.folder, 'karmada/karmada-apiserver.config')
}
