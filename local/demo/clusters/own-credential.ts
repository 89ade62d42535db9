import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import { parse } from 'yaml'
import * as z from 'zod'
import { writeKubeconfig } from '../../../functions/kubernetes/kubeconfig/write-kubeconfig.ts'
import { ClustersUnavailable, type DemoCluster } from './cluster-set.ts'

/** Loads whatever kubectl loads, also what fedplane's intake refuses: the file is the person's own, on their machine. */
const load = async (file: string): Promise<KubeConfig> => {
  // A quarter of a second of processor time, which only this way of the demo needs.
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromFile(file, { onInvalidEntry: 'filter' })
  return config
}

/** Fields by which a kubeconfig names programs and files of this machine. */
const OF_THIS_MACHINE = [
  'exec',
  'auth-provider',
  'tokenFile',
  'client-certificate',
  'client-key',
  'certificate-authority',
]

const Entry = z.looseObject({ name: z.string() })
const Kubeconfig = z.object({
  contexts: z.array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string() }) })),
  clusters: z.array(Entry),
  users: z.array(Entry),
})

const namesProgramOrFile = ({ kubeconfig, context: wanted }: DemoCluster): boolean => {
  const { data } = Kubeconfig.safeParse(parse(kubeconfig))
  const context = data?.contexts.find(({ name }) => name === wanted)?.context
  const entries = [
    data?.clusters.find(({ name }) => name === context?.cluster)?.cluster,
    data?.users.find(({ name }) => name === context?.user)?.user,
  ]
  return entries.some((entry) => OF_THIS_MACHINE.some((field) => Object.hasOwn(Object(entry), field)))
}

const BEARER = /^Bearer (.+)$/

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined

const credentialOf = ({ headers, cert, key }: RequestOptions) => {
  const [, token] = BEARER.exec(String((headers as Record<string, unknown> | undefined)?.Authorization ?? '')) ?? []
  if (token !== undefined) return { token }
  const [certificatePem, keyPem] = [textOf(cert), textOf(key)]
  return certificatePem === undefined || keyPem === undefined ? undefined : { certificatePem, keyPem }
}

/** Undefined for a context without server or credential: registering says what is wrong with it. */
const contained = async (config: KubeConfig, context: string): Promise<string | undefined> => {
  config.setCurrentContext(context)
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()]
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  const credential = credentialOf(options)
  if (cluster === null || user === null || credential === undefined) return undefined
  const caPem = textOf(options.ca)
  return writeKubeconfig({
    name: context,
    user: user.name,
    server: cluster.server,
    ...(caPem === undefined ? {} : { caPem }),
    ...(cluster.tlsServerName === undefined ? {} : { tlsServerName: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify ? { isInsecure: true } : {}),
    credential,
  })
}

/**
 * The cluster with a kubeconfig that needs nothing of this machine: exec plugins are run and files are read by client-node, as kubectl does. One that
 * names none of them stays as it is.
 *
 * @throws ClustersUnavailable naming the program, never its output, which may hold a token
 */
export const withCredential = async (cluster: DemoCluster, file: string): Promise<DemoCluster> => {
  if (!namesProgramOrFile(cluster)) return cluster
  try {
    const kubeconfig = await contained(await load(file), cluster.context)
    return kubeconfig === undefined ? cluster : { ...cluster, kubeconfig }
  } catch {
    throw new ClustersUnavailable(
      `The credential of context ${cluster.context} in ${file} can't be had: the program or file that it names fails. ` +
        `Try kubectl --kubeconfig ${file} --context ${cluster.context} get namespaces, which says why.`,
    )
  }
}
