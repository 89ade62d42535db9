import { Provider, type Send } from './provider.ts'
import { clusters, clusterTemplates, nodeGroups } from './resources.ts'

type Attributes = Readonly<Record<string, unknown>>

export type TerraformStory = {
  /** Of the two templates; the second one is what the cluster is upgraded to. Each has a name of its own. */
  templates: readonly [Attributes & { name: string }, Attributes & { name: string }]
  /** Of the cluster, besides template and counts. Default: none. */
  cluster?: Attributes
  /** `coe_version` after the upgrade. */
  upgradedVersion: string
  /** Milliseconds between two observations, and seconds that one change may take. */
  pollMs?: number
  seconds?: number
  /** Told what has been done, to look around between. */
  reached?(step: string, clusterId: string): Promise<void> | void
}

/**
 * What terraform-provider-openstack sends for one installation's life (magnum-rest.md 10.3): apply of a template and a cluster with two node
 * groups, plans, more and fewer nodes down to none, an upgrade, a kubeconfig, and destroy. Knows no driver: whatever makes nodes will do.
 *
 * @returns the cluster's id
 * @throws Error as the provider would fail
 */
export const runTerraformStory = async (send: Send, story: TerraformStory): Promise<string> => {
  const { pollMs, seconds, reached = () => undefined } = story
  const options = { ...(pollMs === undefined ? {} : { pollMs }), ...(seconds === undefined ? {} : { seconds }) }
  const provider = new Provider(send, options)
  const templates = clusterTemplates(provider)
  const cluster = clusters(provider)
  const [template, newer] = await Promise.all(story.templates.map((attributes) => templates.create(attributes)))
  if (template === undefined || newer === undefined) throw new Error('two templates were wanted')

  const id = await cluster.create({
    ...story.cluster,
    cluster_template_id: template,
    name: 'terraform',
    master_count: 1,
    node_count: 1,
  })
  await reached('created', id)

  const groups = nodeGroups(provider, id)
  // Terraform makes resources that do not need each other at the same time.
  const [first, second] = await Promise.all([
    groups.create('first', { node_count: 1 }),
    groups.create('second', { node_count: 2, max_node_count: 4 }),
  ])
  await cluster.read(id, { workers: 1, template })
  await reached('node groups created', id)

  await groups.change(first, { min: 1, max: 5, count: 3 })
  await cluster.resize(id, 2)
  await cluster.read(id, { workers: 2, template })
  await cluster.resize(id, 0)
  await cluster.read(id, { workers: 0, template })
  await cluster.resize(id, 1)
  await reached('resized', id)

  await cluster.upgrade(id, newer)
  const upgraded = await cluster.read(id, { workers: 1, template: newer })
  if (upgraded.coe_version !== story.upgradedVersion) {
    throw new Error(`coe_version is ${upgraded.coe_version} after the upgrade to ${story.upgradedVersion}`)
  }
  await cluster.readKubeconfig(id)
  await templates.rename(newer, `${story.templates[1].name}-renamed`)
  await reached('upgraded', id)

  await Promise.all([groups.destroy(first), groups.destroy(second)])
  await cluster.destroy(id)
  await Promise.all([templates.destroy(template), templates.destroy(newer)])
  return id
}
