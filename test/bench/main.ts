import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { ApiClient } from './api-client.ts'
import { burst, clusterOf, fill, makeTemplate } from './clusters.ts'
import { decisionMs } from './decision.ts'
import { type Figures, measure, type Probe } from './figures.ts'
import { goalsOf, type Results } from './goals.ts'
import { type BenchOptions, HELP, readOptions } from './options.ts'
import { rawQuery } from './raw-query.ts'
import { measureRelabel } from './relabel.ts'
import { report } from './report.ts'
import { type Server, startServer } from './server.ts'
import { measureSweep, sweepReport } from './sweep.ts'

const PROJECT = 'bench'
const RAW = 'raw query'

/** `admin` and `foreign` see all projects, one from the project that has the clusters, one from another. */
const HOLDERS = {
  member: { userId: 'ana', projectId: PROJECT, roles: ['member'] },
  admin: { userId: 'ada', projectId: PROJECT, roles: ['admin', 'member'] },
  foreign: { userId: 'eve', projectId: 'operations', roles: ['admin'] },
  creator: { userId: 'cy', projectId: 'creates', roles: ['member'] },
  burster: { userId: 'bo', projectId: 'burst', roles: ['member'] },
  relabeller: { userId: 'lu', projectId: 'labels', roles: ['member'] },
}
type Holder = keyof typeof HOLDERS
type Clients = Record<Holder, ApiClient>

const tell = (text: string): void => void process.stderr.write(`${text}\n`)

const requirePage = (clusters: number, found: number): void => {
  if (found !== clusters) throw new Error(`A page of ${clusters} clusters has ${found}.`)
}

const listProbe = (name: string, client: ApiClient, { path, clusters }: { path: string; clusters: number }): Probe => ({
  name,
  send: async () => {
    const { clusters: found } = await client.get<{ clusters: unknown[] }>(`${path}?limit=${clusters}`)
    requirePage(clusters, found.length)
  },
})

/** The lists, with the raw query between them. */
const measureLists = async (
  server: Server,
  clients: Clients,
  { clusters, rounds }: BenchOptions,
): Promise<Figures[]> => {
  const raw = rawQuery(server.dataDir, PROJECT)
  const plain = { path: '/clusters', clusters }
  const detail = { path: '/clusters/detail', clusters }
  const probes: Probe[] = [
    { name: RAW, send: async () => requirePage(clusters, await raw.page(clusters)) },
    listProbe('list, member', clients.member, plain),
    listProbe('list, admin', clients.admin, plain),
    listProbe('list, admin of another project', clients.foreign, plain),
    listProbe('detail list, member', clients.member, detail),
    listProbe('detail list, admin', clients.admin, detail),
  ]
  return measure(probes, rounds).finally(() => raw.close())
}

const measureSingles = async (clients: Clients, uuids: readonly string[], rounds: number): Promise<Figures[]> => {
  const template = await makeTemplate(clients.creator)
  const show = (client: ApiClient) => (index: number) => client.get(`/clusters/${uuids[(index * 7919) % uuids.length]}`)
  const shown = await measure(
    [
      { name: 'show, member', send: show(clients.member) },
      { name: 'show, admin', send: show(clients.admin) },
      { name: 'show, admin of another project', send: show(clients.foreign) },
    ],
    rounds * 5,
  )
  const created = await measure(
    [
      {
        name: 'create, member',
        send: (index) => clients.creator.create('/clusters', clusterOf(template, `c-${index}`)),
      },
    ],
    rounds * 2,
  )
  return [...shown, ...created]
}

const ratiosOf = (figures: readonly Figures[]): Record<string, number> => {
  const raw = figures.find(({ name }) => name === RAW)?.p50 ?? Number.NaN
  return Object.fromEntries(
    figures.filter(({ name }) => name.includes('list')).map(({ name, p50 }) => [name, p50 / raw]),
  )
}

const clientsOf = ({ url }: Server): Clients =>
  Object.fromEntries(Object.keys(HOLDERS).map((holder) => [holder, new ApiClient(url, holder)])) as Clients

type Start = () => Promise<Server>

const runOn = async (server: Server, options: BenchOptions): Promise<Omit<Results, 'firstAnswerMs'>> => {
  const clients = clientsOf(server)
  tell(`Filling ${options.clusters} clusters …`)
  const uuids = await fill(clients.member, await makeTemplate(clients.member), options.clusters)
  const filled = server.residentMb()
  tell('Measuring lists and the raw query …')
  const lists = await measureLists(server, clients, options)
  const listed = server.residentMb()
  tell('Measuring show and create …')
  const figures = [...lists, ...(await measureSingles(clients, uuids, options.rounds))]
  tell(`Sending ${options.creates} creates at once …`)
  const crowd = await burst(clients.burster, await makeTemplate(clients.burster), options.creates)
  tell('Having clusters join by request and by label …')
  const relabel = await measureRelabel(clients.relabeller)
  for (const client of Object.values(clients)) client.close()
  return {
    date: new Date().toISOString(),
    machine: { cpus: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`, node: process.versions.node },
    clusters: options.clusters,
    figures,
    ratios: ratiosOf(lists),
    burst: crowd,
    residentMb: { filled, listed, end: server.residentMb() },
    relabel,
    decisionMs: await decisionMs(),
  }
}

const stopped = async <T>(server: Server, use: () => Promise<T>): Promise<T> => {
  try {
    return await use()
  } finally {
    await server.stop()
  }
}

const run = async (start: Start, options: BenchOptions): Promise<Results> => {
  const first = await start()
  const measured = await stopped(first, () => runOn(first, options))
  const second = await start()
  await second.stop()
  return { ...measured, firstAnswerMs: { empty: first.firstAnswerMs, filled: second.firstAnswerMs } }
}

const sweep = async ({ clusters, json }: BenchOptions): Promise<number> => {
  const figures = await measureSweep(clusters, tell)
  process.stdout.write(sweepReport(figures))
  if (json !== undefined) await writeFile(json, `${JSON.stringify(figures, null, 2)}\n`)
  return 0
}

const main = async (options: BenchOptions): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), 'fedplane-bench-'))
  try {
    const tokens = join(folder, 'tokens.json')
    await writeFile(tokens, JSON.stringify(HOLDERS), { mode: 0o600 })
    const environment = {
      FEDPLANE_TOKENS: tokens,
      FEDPLANE_CLUSTERS_PER_PROJECT: '100000',
      FEDPLANE_OPERATIONS_PER_PROJECT: '100000',
    }
    const results = await run(
      () => startServer({ dataDir: join(folder, 'data'), token: 'member' }, environment),
      options,
    )
    process.stdout.write(report(results))
    if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(results, null, 2)}\n`)
    return options.check && goalsOf(results).some(({ met }) => !met) ? 1 : 0
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') process.stdout.write(HELP)
  else process.exitCode = options.sweep ? await sweep(options) : await main(options)
} catch (error) {
  tell(`bench: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
