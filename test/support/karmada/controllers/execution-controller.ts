import type { KubernetesClient, Resource } from '../../../../functions/kubernetes/client.ts'
import type { InProcessClient } from '../in-process-client.ts'
import {
  isDeleting,
  isReady,
  type KarmadaCluster,
  type Manifest,
  WORK_FINALIZER,
  type Work,
  withoutFinalizer,
  worksPath,
} from './karmada-cluster.ts'
import type { MemberClients } from './member-client.ts'
import { plurals } from './plurals.ts'

/** Karmada's mark on what it brought into a member: only that is deleted by it. */
const MANAGED = 'karmada.io/managed'

const resourceOf = ({ apiVersion, kind, metadata }: Manifest): Resource => {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  return {
    group,
    version,
    plural: plurals(kind),
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  }
}

const bring = async (client: KubernetesClient, work: Work, manifest: Manifest): Promise<void> => {
  const { labels, annotations } = manifest.metadata
  const { namespace, name } = work.metadata
  const metadata = {
    ...manifest.metadata,
    labels: { ...labels, [MANAGED]: 'true' },
    annotations: { ...annotations, 'work.karmada.io/namespace': namespace ?? '', 'work.karmada.io/name': name },
  }
  await client.apply(resourceOf(manifest), { ...manifest, metadata }, { fieldManager: 'karmada-controller-manager' })
}

const take = async (client: KubernetesClient, manifest: Manifest): Promise<void> => {
  const resource = resourceOf(manifest)
  const found = await client.get(resource, manifest.metadata.name)
  if (found?.metadata.labels?.[MANAGED] === 'true') await client.delete(resource, manifest.metadata.name)
}

const manifestsOf = ({ spec }: Work): Manifest[] => spec.workload?.manifests ?? []

/** Brings the objects of Works into members, and takes them away with them (federation-control-planes.md 2.4). */
export class ExecutionController {
  /** Generation of each Work that is in its member. */
  readonly #brought = new Map<string, number>()
  readonly #clients: MemberClients

  constructor(clients: MemberClients) {
    this.#clients = clients
  }

  async look(api: InProcessClient, cluster: KarmadaCluster): Promise<void> {
    const path = worksPath(cluster.metadata.name)
    for (const work of api.list(path) as Work[]) {
      if (isDeleting(work)) await this.#remove(api, cluster, work)
      else if (isReady(cluster)) await this.#sync(api, cluster, work)
    }
  }

  async #sync(api: InProcessClient, cluster: KarmadaCluster, work: Work): Promise<void> {
    const { uid = '', generation = 0 } = work.metadata
    if (this.#brought.get(uid) === generation) return
    const client = this.#clients.of(api, cluster)
    for (const manifest of manifestsOf(work)) await bring(client, work, manifest)
    this.#brought.set(uid, generation)
  }

  async #remove(api: InProcessClient, cluster: KarmadaCluster, work: Work): Promise<void> {
    if (!work.metadata.finalizers?.includes(WORK_FINALIZER)) return
    if (work.spec.preserveResourcesOnDeletion === true) {
      // Karmada takes its marks off first, which needs the member: a dead one holds the Work.
      await this.#clients.of(api, cluster).version()
    } else if (isReady(cluster)) {
      const client = this.#clients.of(api, cluster)
      for (const manifest of manifestsOf(work)) await take(client, manifest)
    } else if (!isDeleting(cluster)) {
      return
    }
    const { name } = work.metadata
    const path = `${worksPath(cluster.metadata.name)}/${name}`
    if (api.get(path)?.metadata.uid === work.metadata.uid) api.patch(path, withoutFinalizer(work, WORK_FINALIZER))
  }
}
