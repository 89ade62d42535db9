import { setTimeout as pause } from 'node:timers/promises'
import type { ApiClient } from './api-client.ts'
import { inParallel, percentile, timed } from './figures.ts'

const TEMPLATE = {
  name: 'bench',
  coe: 'kubernetes',
  image_id: 'none',
  driver: 'memory@1',
  flavor_id: 'm1.small',
  labels: { kube_tag: 'v1.35.0', availability_zone: 'one' },
}

/** Makes the template that all clusters here come from, and gives its uuid. */
export const makeTemplate = (client: ApiClient): Promise<string> => client.create('/clustertemplates', TEMPLATE)

/** Attributes of a cluster as people make them. */
export const clusterOf = (templateId: string, name: string) => ({
  name,
  cluster_template_id: templateId,
  node_count: 3,
  keypair: 'ana',
  labels: { team: 'shop' },
  merge_labels: true,
})

type Listed = { clusters: { uuid: string; status: string }[] }

/** How often we look, milliseconds. */
const POLL_MS = 2000
const SETTLE_DEADLINE_MS = 600_000

/** Waits until all clusters of the caller's project are complete, and gives their uuids. @throws when one failed, or after 10 min */
const whenComplete = async (client: ApiClient): Promise<string[]> => {
  const deadline = performance.now() + SETTLE_DEADLINE_MS
  for (;;) {
    const { clusters } = await client.get<Listed>('/clusters')
    const failed = clusters.find(({ status }) => status.endsWith('_FAILED'))
    if (failed !== undefined) throw new Error(`Cluster ${failed.uuid} is ${failed.status}.`)
    if (clusters.every(({ status }) => status === 'CREATE_COMPLETE')) return clusters.map(({ uuid }) => uuid)
    if (performance.now() > deadline) throw new Error('The clusters are not complete after ten minutes.')
    await pause(POLL_MS)
  }
}

/** Creates so many clusters and waits until they are complete; gives their uuids. */
export const fill = async (client: ApiClient, templateId: string, count: number): Promise<string[]> => {
  await inParallel(count, 8, (index) => client.create('/clusters', clusterOf(templateId, `bench-${index}`)))
  return whenComplete(client)
}

export type Burst = {
  creates: number
  /** Answers other than 202, and requests without an answer. */
  errors: number
  /** The first few different ones. */
  said: string[]
  /** Until the last answer, milliseconds. */
  totalMs: number
  p50: number
  p99: number
  /** Until all clusters were complete, milliseconds. */
  completeMs: number
}

/** Creates that are all sent at once, each on a connection of its own. */
export const burst = async (client: ApiClient, templateId: string, creates: number): Promise<Burst> => {
  const times: number[] = []
  const said: string[] = []
  const create = async (index: number): Promise<void> => {
    const send = () => client.create('/clusters', clusterOf(templateId, `burst-${index}`))
    await timed(send).then(
      (milliseconds) => times.push(milliseconds),
      (error: unknown) => said.push(String(error)),
    )
  }
  const begin = performance.now()
  await Promise.all(Array.from({ length: creates }, (_, index) => create(index)))
  const totalMs = performance.now() - begin
  await whenComplete(client)
  return {
    creates,
    errors: said.length,
    said: [...new Set(said)].slice(0, 5),
    totalMs,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    completeMs: performance.now() - begin,
  }
}
