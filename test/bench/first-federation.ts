import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs, promisify } from 'node:util'
import { parse } from 'yaml'
import type { DemoCluster } from '../../local/clusters/take-clusters.ts'
import { programOf, startNode } from '../e2e/karmada/support/kube.ts'
import { startTestClusters } from '../e2e/support/clusters.ts'
import { Installed, newcomer, startInstalledServer } from '../support/cli/installed.ts'

/**
 * `npm run bench:first`: how long somebody takes who has running clusters, their kubeconfig and the packed product, and nothing else. With `--karmada` also
 * until a workload runs in two members: that needs what the end-to-end tests of karmada@1 need, and root.
 */

const { values } = parseArgs({ options: { karmada: { type: 'boolean', default: false } } })
const run = promisify(execFile)

type Row = { step: string; seconds: number }
type Clusters = { clusters: readonly DemoCluster[]; close(): Promise<unknown> }

/** One kubeconfig with a context for each, named as the cluster. */
const kubeconfigOf = (clusters: readonly DemoCluster[]): string => {
  const configs = clusters.map(({ kubeconfig }) => parse(kubeconfig))
  const named = (list: string, field: string) =>
    clusters.map(({ name }, at) => ({ name, [field]: configs[at][list][0][field] }))
  const contexts = clusters.map(({ name }) => ({ name, context: { cluster: name, user: name } }))
  return JSON.stringify({ clusters: named('clusters', 'cluster'), users: named('users', 'user'), contexts })
}

/** Two pods in each member. */
const WORKLOAD = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'fedlab/httpd:1' }] },
      },
    },
  },
  {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
      placement: { clusterAffinity: {} },
    },
  },
]

class Story {
  readonly rows: Row[] = []
  readonly #installed: Installed
  readonly #kubeconfig: string
  #env: Record<string, string> = {}

  constructor(installed: Installed, clusters: readonly DemoCluster[]) {
    this.#installed = installed
    this.#kubeconfig = path.join(installed.folder, 'clusters.kubeconfig')
    writeFileSync(this.#kubeconfig, kubeconfigOf(clusters), { mode: 0o600 })
  }

  async #step<T>(step: string, act: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    const result = await act()
    this.rows.push({ step, seconds: (performance.now() - begun) / 1000 })
    return result
  }

  #fedplane(line: string): Promise<void> {
    return this.#step(`fedplane ${line}`, async () => {
      const { code, stderr } = await this.#installed.run(line, { env: this.#env })
      if (code !== 0) throw new Error(`fedplane ${line} failed: ${stderr}`)
    })
  }

  async federate(driver: string, names: readonly string[], then = async (): Promise<void> => undefined): Promise<void> {
    const [host, ...members] = names
    await this.#step('npm install of the package', () => this.#installed.install())
    const crds = process.env.FEDPLANE_KARMADA_CRDS
    const server = await this.#step('fedplane server, until it listens', () =>
      startInstalledServer(this.#installed, [], crds ? { FEDPLANE_KARMADA_CRDS: crds } : {}),
    )
    this.#env = { FEDPLANE_SERVER: server.url, KUBECONFIG: this.#kubeconfig }
    try {
      await this.#fedplane(`init fleet --host ${host} --join ${members.join(',')} --driver ${driver}`)
      await then()
    } finally {
      server.child.kill('SIGTERM')
      await server.ended
    }
  }

  /** With kubectl, through the context that the command line adds. */
  async spread(): Promise<void> {
    await this.#fedplane('federation kubeconfig fleet --merge')
    const file = path.join(this.#installed.folder, 'workload.json')
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: WORKLOAD }))
    const env = newcomer(this.#installed.home, this.#env)
    const kubectl = (...args: string[]) => run(programOf('kubectl'), ['--context', 'fleet', ...args], { env })
    await this.#step('kubectl apply of a Deployment, until its pods are ready in both members', async () => {
      await kubectl('apply', '-f', file)
      await kubectl('wait', 'deployment/web', '--for=jsonpath={.status.readyReplicas}=4', '--timeout=120s')
    })
  }
}

/** @returns whether the goal was met */
const measure = async (driver: string, taking: Promise<Clusters>, goalSeconds: number): Promise<boolean> => {
  const taken = await taking
  const installed = await Installed.pack()
  try {
    const story = new Story(installed, taken.clusters)
    const names = taken.clusters.map(({ name }) => name)
    await story.federate(driver, names, driver.startsWith('karmada@') ? () => story.spread() : undefined)
    const total = story.rows.reduce((sum, { seconds }) => sum + seconds, 0)
    process.stdout.write(`\n| ${driver} | s |\n|---|---:|\n`)
    for (const { step, seconds } of [...story.rows, { step: `all (goal ${goalSeconds})`, seconds: total }])
      process.stdout.write(`| ${step} | ${seconds.toFixed(1)} |\n`)
    return total <= goalSeconds
  } finally {
    installed.close()
    await taken.close()
  }
}

/** A host and two members whose pods run. */
const takeNodes = async (): Promise<Clusters> => {
  const starting = ['hub', 'paris', 'rome'].map((name) => startNode(name))
  const close = () => Promise.allSettled(starting.map(async (node) => (await node).close()))
  try {
    return { clusters: await Promise.all(starting), close }
  } catch (error) {
    await close()
    throw error
  }
}

const met = [await measure('clusterprofile@1', startTestClusters(3), 20)]
if (values.karmada) met.push(await measure('karmada@1', takeNodes(), 90))
process.exitCode = met.includes(false) ? 1 : 0
