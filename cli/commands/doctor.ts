import { Command, Option } from 'commander'
import * as z from 'zod'
import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import type { ApiClient } from '../api/client.ts'
import type { DryRunView } from '../api/views.ts'
import { CliError } from '../errors.ts'
import type { Io } from '../io.ts'
import { clusterClient, explained } from '../kubeconfig/cluster-client.ts'
import { type ContextEntries, clusterNameOf, contextOf, loadKubeconfig } from '../kubeconfig/local-kubeconfig.ts'
import { withCredential } from '../kubeconfig/plugin-credential.ts'
import { table } from '../output/table.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { collect, collectPairs, connect, withExamples, withServer } from './options.ts'

/** One thing that was tried. `warning` may work, `failed` does not. */
type Check = { what: string; result: 'ok' | 'warning' | 'failed'; detail: string }

/** Clocks further apart make certificates and tokens invalid: Kubernetes and Keystone allow some minutes at most. */
const CLOCK_MS_MAX = 60_000

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const checkServer = async (api: ApiClient): Promise<Check[]> => {
  const what = `server ${api.server.url}`
  try {
    const { headers } = await api.ask('GET', '/clusters', { query: { limit: 1 } })
    const apart = Math.abs(Date.now() - Date.parse(headers.date ?? ''))
    // Without a date, or with a wrong one, nothing is known.
    if (Number.isNaN(apart)) return [{ what, result: 'ok', detail: 'answers, and takes your requests' }]
    const isFar = apart > CLOCK_MS_MAX
    return [
      { what, result: 'ok', detail: 'answers, and takes your requests' },
      {
        what: 'clocks',
        result: isFar ? 'failed' : 'ok',
        detail: isFar ? `this machine and the server are ${Math.round(apart / 1000)} s apart: set the clock` : 'agree',
      },
    ]
  } catch (error) {
    return [{ what, result: 'failed', detail: messageOf(error) }]
  }
}

const Review = z.object({ status: z.object({ allowed: z.boolean() }) })

/** May this credential do everything? (SelfSubjectAccessReview of `authorization.k8s.io/v1`.) */
const mayAll = async (client: KubernetesClient): Promise<boolean> => {
  const spec = { resourceAttributes: { verb: '*', group: '*', resource: '*' } }
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
  return Review.parse(await client.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body)).status.allowed
}

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'

const checkStorage = async (client: KubernetesClient, what: string): Promise<Check> => {
  const { items } = await client.list({ group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses' })
  const usual = items.find(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true')
  return usual
    ? { what, result: 'ok', detail: `default StorageClass ${usual.metadata.name}` }
    : { what, result: 'warning', detail: 'no default StorageClass: karmada@1 needs --property storage-class=NAME' }
}

const Ingress = z.object({
  spec: z.object({ type: z.string().optional() }),
  status: z.object({ loadBalancer: z.object({ ingress: z.array(z.unknown()).optional() }).optional() }).optional(),
})

/** Whether the cluster has load balancers can only be seen at one that it has given to a Service already. */
const checkLoadBalancer = async (client: KubernetesClient, what: string): Promise<Check> => {
  const { items } = await client.list({ group: '', version: 'v1', plural: 'services' }, { limit: 500 })
  const balanced = items
    .map((item) => Ingress.safeParse(item).data)
    .filter((service) => service?.spec.type === 'LoadBalancer')
  const hasAddress = balanced.some((service) => (service?.status?.loadBalancer?.ingress?.length ?? 0) > 0)
  if (hasAddress) return { what, result: 'ok', detail: 'gives Services of type LoadBalancer an address' }
  return {
    what,
    result: 'warning',
    detail: `${balanced.length === 0 ? 'no Service of type LoadBalancer to see it at' : 'a Service of type LoadBalancer waits for an address'}: karmada@1 may need --property api-service-type=NodePort`,
  }
}

const checksOf = async (client: KubernetesClient, what: string, isHost: boolean): Promise<Check[]> => {
  const { gitVersion } = await client.version()
  const checks: Check[] = [{ what, result: 'ok', detail: `answers, Kubernetes ${gitVersion}` }]
  checks.push(
    (await mayAll(client))
      ? { what, result: 'ok', detail: 'the credential may do everything' }
      : {
          what,
          result: 'warning',
          detail: 'the credential may not do everything: the dry run says what a driver lacks',
        },
  )
  if (isHost) checks.push(await checkStorage(client, what), await checkLoadBalancer(client, what))
  return checks
}

const LOOPBACK = /^https?:\/\/(?:127\.|localhost|\[::1\])/

const peerChecks = ({ name, cluster }: ContextEntries, isHost: boolean): Check[] =>
  !isHost && LOOPBACK.test(String(cluster.server))
    ? [
        {
          what: `context ${name}`,
          result: 'warning',
          detail: `${cluster.server} leads other clusters to themselves: --server-for-peers`,
        },
      ]
    : []

const checkContext = async (context: ContextEntries, isHost: boolean): Promise<Check[]> => {
  const what = `context ${context.name}`
  try {
    const client = clusterClient(await withCredential(context))
    try {
      return [...(await checksOf(client, what, isHost)), ...peerChecks(context, isHost)]
    } finally {
      client.close()
    }
  } catch (error) {
    return [{ what, result: 'failed', detail: messageOf(explained(error, context.name)) }]
  }
}

type DoctorOptions = ServerOptions & {
  host?: string
  join?: string[]
  kubeconfig?: string
  driver?: string
  property?: Record<string, string>
}

/** What the server finds, which reaches the clusters from where it runs. Only once all of them are registered. */
const dryRun = async (
  api: ApiClient,
  names: readonly string[],
  { driver, property = {} }: DoctorOptions,
): Promise<Check[]> => {
  const what = 'dry run'
  const clusters = await Promise.all(names.map((name) => api.findOwnCluster(name)))
  const missing = names.filter((_, index) => clusters[index] === undefined)
  if (missing.length > 0)
    return [
      {
        what,
        result: 'warning',
        detail: `not done: ${missing.join(', ')} is not registered yet (fedplane cluster import)`,
      },
    ]
  const [host, ...members] = clusters.map((cluster) => cluster?.uuid)
  const body = { name: 'doctor', hostcluster_id: host, member_ids: members, driver, properties: property }
  try {
    const { findings = [], would_succeed } = (
      await api.ask<DryRunView>('POST', '/federations', { query: { dry_run: true }, body })
    ).body
    const found = findings.map(
      ({ severity, reason, message }): Check => ({
        what,
        result: severity === 'error' ? 'failed' : 'warning',
        detail: `${reason}: ${message}`,
      }),
    )
    return would_succeed ? [...found, { what, result: 'ok', detail: 'a federation of them would succeed' }] : found
  } catch (error) {
    return [{ what, result: 'failed', detail: messageOf(error) }]
  }
}

const localChecks = async (io: Io, options: DoctorOptions): Promise<{ checks: Check[]; names: string[] }> => {
  const wanted = [...(options.host ? [options.host] : []), ...(options.join ?? [])]
  const config = loadKubeconfig(io.env, options.kubeconfig)
  const files = config.files.join(', ')
  const checks: Check[] = [
    config.contexts.size > 0
      ? { what: 'kubeconfig', result: 'ok', detail: `${config.contexts.size} contexts in ${files}` }
      : { what: 'kubeconfig', result: 'warning', detail: `no context in ${files}` },
  ]
  const contexts = wanted.flatMap((name) => (config.contexts.has(name) ? [contextOf(config, name)] : []))
  const tried = await Promise.all(contexts.map((context) => checkContext(context, context.name === options.host)))
  return {
    checks: [...checks, ...tried.flat()],
    names: wanted.map((name) => (config.contexts.has(name) ? clusterNameOf(name) : name)),
  }
}

/** `fedplane doctor`: what would fail, and why. Changes nothing. */
export const doctorCommand = (io: Io): Command =>
  withExamples(
    withServer(new Command('doctor')),
    'fedplane doctor',
    'fedplane doctor --host hub --join edge-1,edge-2 --driver clusterprofile@1',
  )
    .description(
      'Say what would fail and why: the server, your kubeconfig, clusters, rights, a dry run. Changes nothing.',
    )
    .option('--host <context>', 'context or registered cluster that is to carry the control plane')
    .addOption(
      new Option('--join <context>', 'contexts or registered clusters that are to join; may be repeated').argParser(
        collect,
      ),
    )
    .option('--driver <id>', 'driver of the federation')
    .addOption(new Option('--property <key=value>', 'property of the driver; may be repeated').argParser(collectPairs))
    .option('--kubeconfig <file>', 'kubeconfig to read (default: KUBECONFIG, ~/.kube/config)')
    .action(async (options: DoctorOptions) => {
      const api = await connect(io, options)
      const server = await checkServer(api)
      const { checks, names } = await localChecks(io, options)
      const isReachable = server.every(({ result }) => result !== 'failed')
      const tried = options.host && isReachable ? await dryRun(api, names, options) : []
      const all = [...server, ...checks, ...tried]
      io.stdout.write(
        table(
          ['CHECK', 'RESULT', 'DETAIL'],
          all.map(({ what, result, detail }) => [what, result, detail]),
        ),
      )
      const failed = all.filter(({ result }) => result === 'failed')
      if (failed.length > 0)
        throw new CliError(`${failed.length} of ${all.length} checks failed.`, {
          remedy: 'Repair what DETAIL names, from the top.',
        })
    })
