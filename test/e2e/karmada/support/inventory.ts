import * as z from 'zod'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../functions/kubernetes/client.ts'

const Groups = z.object({
  groups: z.array(z.object({ preferredVersion: z.object({ groupVersion: z.string() }) })),
})
const Resources = z.object({
  resources: z.array(z.object({ name: z.string(), namespaced: z.boolean(), verbs: z.array(z.string()) })),
})

/** What clusters write by themselves and what comes and goes with time. */
const PASSING = new Set([
  'events',
  'leases',
  'endpoints',
  'endpointslices',
  'componentstatuses',
  'csinodes',
  'nodes',
  'ipaddresses',
])

const jsonOf = async (client: KubernetesClient, path: string): Promise<unknown> => {
  const { status, body } = await client.raw(path)
  if (status !== 200) throw new Error(`GET ${path} was answered ${status}`)
  return JSON.parse(body)
}

const listable = async (client: KubernetesClient, groupVersion: string): Promise<Resource[]> => {
  const [version = '', group = ''] = groupVersion.split('/').reverse()
  const { resources } = Resources.parse(await jsonOf(client, `/${group === '' ? 'api' : 'apis'}/${groupVersion}`))
  return resources
    .filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list') && !PASSING.has(name))
    .map(({ name }) => ({ group, version, plural: name }))
}

const textOf = ({ group, plural }: Resource, { metadata: { namespace, name } }: KubernetesObject): string =>
  `${plural}${group === '' ? '' : `.${group}`} ${namespace === undefined ? '' : `${namespace}/`}${name}`

/** Every object of a cluster, by kind, namespace and name, as anybody with all rights sees it. */
export const inventory = async (client: KubernetesClient): Promise<Set<string>> => {
  const { groups } = Groups.parse(await jsonOf(client, '/apis'))
  const versions = ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)]
  const resources = (await Promise.all(versions.map((version) => listable(client, version)))).flat()
  const lists = await Promise.all(
    resources.map(async (resource) => {
      const { items } = await client.list(resource)
      return items.map((object) => textOf(resource, object))
    }),
  )
  return new Set(lists.flat())
}
