import * as z from 'zod'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { customResourceDefinitions } from '../../../../../kubernetes/resources.ts'
import { covers, listAll } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import { API_SERVICE } from './content.ts'

/** Calls under way at a time: enough for the API server of a control plane, whose work they are, and few new connections at once. */
const CONCURRENCY = 6

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

/** Calls `act` for each, a few at a time. After a failure none begins any more, and it is thrown when those under way are over. */
export const inParallel = async <T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> => {
  const queue = items.values()
  let hasFailed = false
  const work = async (): Promise<void> => {
    for (const item of queue) {
      if (hasFailed) return
      await act(item).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: Math.min(CONCURRENCY, items.length) }, work))
  const failed = workers.find((worker) => worker.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Those of the objects that are not there, or not as they are to be; one list for each collection. */
export const differences = async (
  client: KubernetesClient,
  objects: readonly KubernetesObject[],
): Promise<Difference[]> => {
  const found: Difference[] = []
  await inParallel(collectionsOf(objects), async ({ resource, objects: wanted }) => {
    const present = new Map((await listAll(client, resource)).map((object) => [object.metadata.name, object]))
    const differing = wanted.filter((object) => !covers(present.get(object.metadata.name), object))
    found.push(...differing.map((object) => ({ resource, object })))
  })
  return found
}

/** Makes the objects what they are to be; no write where nothing differs. */
export const applyAll = async (client: KubernetesClient, objects: readonly KubernetesObject[]): Promise<void> => {
  await inParallel(await differences(client, objects), ({ resource, object }) => client.apply(resource, object))
}

const Conditions = z.object({
  status: z.object({
    conditions: z.array(
      z.object({
        type: z.string(),
        status: z.string(),
        reason: z.string().default(''),
        message: z.string().default(''),
      }),
    ),
  }),
})
type Condition = z.infer<typeof Conditions>['status']['conditions'][number]

/** A condition of any object; undefined when it has none of that type. */
export const conditionOf = (object: KubernetesObject | undefined, type: string): Condition | undefined =>
  Conditions.safeParse(object).data?.status.conditions.find((condition) => condition.type === type)

const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices' }

/** @throws Pending naming the CRDs that the API server does not serve yet */
export const requireEstablished = async (client: KubernetesClient): Promise<void> => {
  const definitions = await listAll(client, customResourceDefinitions)
  const missing = definitions.filter((object) => conditionOf(object, 'Established')?.status !== 'True')
  if (missing.length === 0) return
  throw new Pending(`${missing.length} CRDs to be Established, for example ${missing[0]?.metadata.name}`)
}

/** @throws Pending while Karmada's aggregated API does not answer, with what the aggregation layer says of it */
export const requireAvailable = async (client: KubernetesClient): Promise<void> => {
  const available = conditionOf(await client.get(apiServices, API_SERVICE), 'Available')
  if (available?.status === 'True') return
  const said = available === undefined ? '' : `: ${available.reason}: ${available.message}`
  throw new Pending(`APIService ${API_SERVICE} to be Available${said}`)
}
