import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { covers } from '../../../../support/covers.ts'
import { listAll } from '../../../../support/owned.ts'

/** Writes under way at a time: as many as a client has connections for. */
const CONCURRENCY = 12

/** Plurals of the kinds that we put into a control plane. */
const PLURALS: Readonly<Record<string, string>> = {
  APIService: 'apiservices',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  CustomResourceDefinition: 'customresourcedefinitions',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
  Namespace: 'namespaces',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  Service: 'services',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
}

const resourceOf = ({ apiVersion, kind, metadata: { namespace } }: KubernetesObject): Resource => {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const plural = PLURALS[kind]
  if (plural === undefined) throw new TypeError(`No plural for kind ${kind}.`)
  return { group, version, plural, ...(namespace === undefined ? {} : { namespace }) }
}

type Collection = { resource: Resource; objects: KubernetesObject[] }

const collectionsOf = (objects: readonly KubernetesObject[]): Collection[] => {
  const collections = new Map<string, Collection>()
  for (const object of objects) {
    const resource = resourceOf(object)
    const key = JSON.stringify(resource)
    const collection = collections.get(key) ?? { resource, objects: [] }
    collection.objects.push(object)
    collections.set(key, collection)
  }
  return [...collections.values()]
}

type Difference = { resource: Resource; object: KubernetesObject }

/** Those of the objects that are not there, or not as they are to be; one list for each collection. */
export const differences = async (
  client: KubernetesClient,
  objects: readonly KubernetesObject[],
): Promise<Difference[]> => {
  const found = await Promise.all(
    collectionsOf(objects).map(async ({ resource, objects: wanted }) => {
      const present = new Map((await listAll(client, resource)).map((object) => [object.metadata.name, object]))
      return wanted
        .filter((object) => !covers(present.get(object.metadata.name), object))
        .map((object) => ({ resource, object }))
    }),
  )
  return found.flat()
}

/** Calls `act` for each, a few at a time; the first failure ends it when those under way are over. */
export const inParallel = async <T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> => {
  const rest = [...items]
  const work = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await act(item)
  }
  const workers = await Promise.allSettled(Array.from({ length: Math.min(CONCURRENCY, items.length) }, work))
  const failed = workers.find((worker) => worker.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Makes the objects what they are to be; no write where nothing differs. */
export const applyAll = async (client: KubernetesClient, objects: readonly KubernetesObject[]): Promise<void> => {
  await inParallel(await differences(client, objects), ({ resource, object }) => client.apply(resource, object))
}
