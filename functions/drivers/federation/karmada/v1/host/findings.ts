import * as z from 'zod'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { nodes } from '../../../../../kubernetes/resources.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { errorFinding, warningFinding } from '../../../../support/findings.ts'
import { listAll } from '../../../../support/owned.ts'
import { pagesOf } from '../../../../support/pages.ts'
import { StorageClassMissing } from '../model/options.ts'
import { type KarmadaProperties, STORAGE_CLASS } from '../model/properties.ts'
import { storageClasses } from './plan.ts'

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
type NodeFacts = {
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

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

const Class = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }) })

const isDefault = (object: KubernetesObject): boolean => {
  const { annotations } = Class.parse(object).metadata
  return DEFAULT_CLASS.some((key) => annotations[key] === 'true')
}

/** All StorageClasses; undefined where we may not look. */
const readClasses = async (client: KubernetesClient): Promise<KubernetesObject[] | undefined> => {
  try {
    return await listAll(client, storageClasses)
  } catch (error) {
    if (error instanceof PermissionDenied) return undefined
    throw error
  }
}

/** What is wrong with the storage of the host for etcd, as a whole sentence; null when nothing is, or when we may not look. */
const storageFault = async (
  client: KubernetesClient,
  { storageClass }: Pick<KarmadaProperties, 'storageClass'>,
): Promise<string | null> => {
  const found = await readClasses(client)
  if (found === undefined) return null
  const names = found.map(({ metadata }) => metadata.name)
  const choice = names.length === 0 ? 'It has none: install a provisioner of volumes.' : `It has: ${names.join(', ')}.`
  if (storageClass !== null) {
    return names.includes(storageClass)
      ? null
      : `The host has no StorageClass ${storageClass}, which property ${STORAGE_CLASS} names. ${choice}`
  }
  if (found.some(isDefault)) return null
  return `The host has no default StorageClass for etcd's volumes. Name one in property ${STORAGE_CLASS}, or make one the default. ${choice}`
}

/** @throws StorageClassMissing */
export const requireStorageClass = async (
  client: KubernetesClient,
  properties: Pick<KarmadaProperties, 'storageClass'>,
): Promise<void> => {
  const fault = await storageFault(client, properties)
  if (fault !== null) throw new StorageClassMissing(fault)
}

/** Undefined where we may not look, which is no fault of the host. */
const visibleNodes = async (client: KubernetesClient): Promise<NodeFacts[] | undefined> => {
  try {
    return await readNodes(client)
  } catch (error) {
    if (error instanceof PermissionDenied) return undefined
    throw error
  }
}

/** What keeps the host from running the pods. */
export const nodeFindings = async (
  client: KubernetesClient,
  { replicas }: Pick<KarmadaProperties, 'replicas'>,
): Promise<Finding[]> => {
  const found = await visibleNodes(client)
  if (found === undefined) return []
  const usable = found.filter(({ isReady, isSchedulable }) => isReady && isSchedulable)
  if (found.length === 0) {
    return [
      errorFinding(
        'HostHasNoNodes',
        'The host has no nodes, so no pods run there. Choose another host, or driver clusterprofile@1, which needs none.',
      ),
    ]
  }
  if (usable.length === 0) {
    const count = found.filter(({ isReady }) => isReady).length
    return [
      errorFinding(
        'NoUsableNode',
        `None of the host's ${found.length} nodes takes pods: ${count} are Ready, and those are cordoned or tainted. Make one Ready and schedulable.`,
      ),
    ]
  }
  if (usable.length >= replicas) return []
  return [
    warningFinding(
      'FewNodes',
      `Property replicas is ${replicas}, and ${usable.length} nodes of the host take pods: some members share a node, and are lost with it.`,
    ),
  ]
}

/** What keeps it from giving etcd volumes. */
export const storageFindings = async (
  client: KubernetesClient,
  properties: Pick<KarmadaProperties, 'storageClass'>,
): Promise<Finding[]> => {
  const fault = await storageFault(client, properties)
  return fault === null ? [] : [errorFinding('StorageClassMissing', fault)]
}
