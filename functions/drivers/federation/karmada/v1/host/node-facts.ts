import * as z from 'zod'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { nodes } from '../../../../../kubernetes/resources.ts'
import { pagesOf } from '../../../../support/pages.ts'

const Node = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z
    .object({
      unschedulable: z.boolean().default(false),
      taints: z.array(z.object({ effect: z.string() })).default([]),
    })
    .prefault({}),
  status: z
    .object({
      addresses: z.array(z.object({ type: z.string(), address: z.string() })).default([]),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    })
    .prefault({}),
})

/** What the driver wants to know of a node. */
export type NodeFacts = {
  name: string
  isReady: boolean
  /** Pods without tolerations may come to it. */
  isSchedulable: boolean
  /** IP addresses, those for outside first. */
  addresses: string[]
}

const ADDRESS_TYPES = ['ExternalIP', 'InternalIP']

const factsOf = (object: KubernetesObject): NodeFacts => {
  const { metadata, spec, status } = Node.parse(object)
  return {
    name: metadata.name,
    isReady: status.conditions.some(({ type, status: state }) => type === 'Ready' && state === 'True'),
    isSchedulable: !spec.unschedulable && spec.taints.every(({ effect }) => effect === 'PreferNoSchedule'),
    addresses: ADDRESS_TYPES.flatMap((wanted) =>
      status.addresses.filter(({ type }) => type === wanted).map(({ address }) => address),
    ),
  }
}

/** All nodes, by name. */
export const readNodes = async (client: KubernetesClient): Promise<NodeFacts[]> => {
  const facts: NodeFacts[] = []
  for await (const page of pagesOf(client, nodes)) facts.push(...page.map(factsOf))
  return facts.toSorted((first, second) => first.name.localeCompare(second.name))
}
