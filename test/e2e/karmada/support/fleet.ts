import { expect } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { localPolicy } from '../../../../functions/kubernetes/address-guard.ts'
import type {
  Connection,
  KubernetesClient,
  KubernetesObject,
  Resource,
} from '../../../../functions/kubernetes/client.ts'
import { connectWith } from '../../../../functions/kubernetes/connect.ts'
import { parseKubeconfig } from '../../../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { connectionTo } from '../../../../functions/kubernetes/stored-connection.ts'
import { clientOf } from '../../../../local/clusters/started-cluster.ts'
import type { DemoCluster } from '../../../../local/clusters/take-clusters.ts'
import { createLogger } from '../../../../local/logger.ts'
import { type Fedplane, startFedplane } from '../../../../local/server.ts'
import { Api, type ClusterView, type FederationView } from '../../../support/api/api.ts'
import { federationPath, register } from '../../support/stories.ts'
import { inventory } from './inventory.ts'
import type { OwnCluster } from './kube.ts'

/** A registered cluster, and its administrator's eyes. */
export type Site = { cluster: OwnCluster; view: ClusterView; admin: KubernetesClient; before: Set<string> }

/** fedplane with clusters of its own, ended together. */
export type Fleet = {
  api: Api
  fedplane: Fedplane
  /** Registers it; ends with the fleet. */
  add(starting: Promise<OwnCluster>): Promise<Site>
  close(): Promise<void>
}

/** Registers a cluster. Whoever asks closes `admin`. */
export const siteOf = async (api: Api, cluster: OwnCluster): Promise<Site> => {
  const admin = clientOf(cluster)
  return { cluster, admin, before: await inventory(admin), view: await register(api, cluster) }
}

/** @throws AssetSourceInvalid when FEDPLANE_KARMADA_CRDS does not name the CRDs of the release */
export const openFleet = async (): Promise<Fleet> => {
  const closers: (() => Promise<void>)[] = []
  const fedplane = await startFedplane({
    drivers: { enabledFederation: ['karmada@1'], defaultFederation: 'karmada@1' },
    karmadaCrds: process.env.FEDPLANE_KARMADA_CRDS || undefined,
    clustersPerProject: 100,
    log: createLogger({ level: 'error' }),
  })
  const api = new Api(fedplane.url)
  return {
    api,
    fedplane,
    add: async (starting) => {
      // Also when it comes up only after something else has failed.
      closers.push(() =>
        starting.then(
          (late) => late.close(),
          () => undefined,
        ),
      )
      const cluster = await starting
      const site = await siteOf(api, cluster)
      closers.push(async () => site.admin.close())
      return site
    },
    close: async () => {
      await fedplane.close()
      await Promise.all(closers.map((close) => close()))
    },
  }
}

export type Plan = { name: string; host: Site; properties?: Record<string, string | number>; members?: readonly Site[] }

/** Asks for a federation; its id. */
export const ask = (api: Api, { name, host, properties, members = [] }: Plan): Promise<string> =>
  api.create('/v1/federations', {
    name,
    hostcluster_id: host.view.uuid,
    ...(properties === undefined ? {} : { properties }),
    ...(members.length === 0 ? {} : { member_ids: members.map(({ view }) => view.uuid) }),
  })

/** Creates a `karmada@1` federation and waits until it is complete. */
export const create = async (api: Api, plan: Plan): Promise<FederationView> =>
  api.settled<FederationView>(federationPath(await ask(api, plan)), 'CREATE_COMPLETE')

/** A client of the federation's endpoint, from the kubeconfig that fedplane gives. The caller closes it. */
export const consumerOf = async (api: Api, id: string): Promise<KubernetesClient> => {
  const { kubeconfig } = await api.get<{ kubeconfig: string }>(`${federationPath(id)}/kubeconfig`)
  return clientOf(kubeconfigEntry(kubeconfig))
}

/** Its current context. */
export const kubeconfigEntry = (kubeconfig: string): Pick<DemoCluster, 'kubeconfig' | 'context'> => {
  const { 'current-context': context } = z.object({ 'current-context': z.string() }).parse(parse(kubeconfig))
  return { kubeconfig, context }
}

const connect = connectWith({ policy: localPolicy })

/** The same where the endpoint leads nowhere from here: through the host's API, to a pod of the API server. */
export const consumerThrough = async (api: Api, id: string, { cluster }: Site): Promise<KubernetesClient> => {
  const connectionOf = (entry: Pick<DemoCluster, 'kubeconfig' | 'context'>): Connection => {
    const { endpoint, credential } = parseKubeconfig(entry.kubeconfig, { context: entry.context, now: new Date() })
    return connectionTo(endpoint, credential)
  }
  const namespace = 'federation-system'
  const host = connect(connectionOf(cluster))
  const { items } = await host.list(
    { group: '', version: 'v1', plural: 'pods', namespace },
    { labelSelector: 'app=karmada-apiserver' },
  )
  const pod = items[0]?.metadata.name
  if (pod === undefined) throw new Error('There is no pod of the API server.')
  const { kubeconfig } = await api.get<{ kubeconfig: string }>(`${federationPath(id)}/kubeconfig`)
  const consumer = connect({
    ...connectionOf(kubeconfigEntry(kubeconfig)),
    dial: () => host.forward({ namespace, pod, port: 5443 }),
  })
  return {
    ...consumer,
    close: () => {
      consumer.close()
      host.close()
    },
  }
}

/** Polls until the object is as wanted; the last observation is in the failure. */
export const seen = async (
  client: KubernetesClient,
  [resource, name]: readonly [Resource, string],
  holds: (object: KubernetesObject) => boolean = () => true,
): Promise<KubernetesObject> => {
  let last: KubernetesObject | undefined
  await expect
    .poll(
      async () => {
        last = await client.get(resource, name)
        return last !== undefined && holds(last) ? 'as wanted' : (last?.status ?? last ?? 'absent')
      },
      { timeout: 240_000, interval: 200, message: `${resource.plural} ${name}` },
    )
    .toBe('as wanted')
  return last as KubernetesObject
}

export const absent = (client: KubernetesClient, [resource, name]: readonly [Resource, string]): Promise<void> =>
  expect
    .poll(async () => (await client.get(resource, name)) === undefined, {
      timeout: 240_000,
      interval: 200,
      message: `${resource.plural} ${name} is still there`,
    })
    .toBe(true)

/** What a cluster has that it had not when it was registered. Objects that are going are waited for. */
const leftovers = async ({ admin, before }: Site, allowed: readonly RegExp[] = []): Promise<string[]> => {
  const now = await inventory(admin)
  return [...now].filter((text) => !before.has(text) && !allowed.some((pattern) => pattern.test(text))).sort()
}

export const expectAsBefore = (site: Site, allowed: readonly RegExp[] = []): Promise<void> =>
  expect
    .poll(() => leftovers(site, allowed), { timeout: 240_000, interval: 1_000, message: `left in ${site.view.name}` })
    .toEqual([])
