import { listInWords, quote, withoutFullStop } from '../../../../../core/values/wording.ts'
import type { CapiObject, Condition, OpenStackServer } from '../management/objects.schema.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { conditionOf, isLeaving, isTrue } from './conditions.ts'
import { inOneLine } from './words.ts'

/** CAPO does not say what Nova says of an instance in ERROR. */
const inError = ({ metadata: { name } }: OpenStackServer): string =>
  `the cloud could not make the instance; "openstack server show ${name}" says why`

const failure = (server: OpenStackServer, { reason, message }: Condition): string =>
  `${reason || 'InstanceReady'}: ${message === '' ? inError(server) : withoutFullStop(message.replaceAll(/\s+/g, ' ').trim())}`

const named = (what: string, name: string | undefined): string => (name === undefined ? what : `${what} ${quote(name)}`)

/** What CAPO looks for in the cloud and has not found. It says so in its log only. */
const missing = ({ spec, status: { resolved } }: OpenStackServer): string[] =>
  resolved === undefined
    ? []
    : [
        ...(resolved.imageID === '' ? [named('image', spec.image.id ?? spec.image.filter.name)] : []),
        ...(resolved.flavorID === '' ? [named('flavor', spec.flavorID ?? spec.flavor)] : []),
        ...(resolved.ports.length === 0 ? ['networks of its ports'] : []),
      ]

const troubleWith = (server: OpenStackServer): string[] => {
  const ready = conditionOf(server, 'InstanceReady')
  if (ready?.status === 'True') return []
  const title = `OpenStackServer/${server.metadata.name}`
  if (ready?.status === 'False') return [`${title} ${failure(server, ready)}`]
  const absent = missing(server)
  return absent.length === 0 ? [] : [`${title} NotResolved: not found in the cloud: ${listInWords(absent)}`]
}

/** Why the cloud has no machine where there should be one: of those that stay and are not well. */
const serverTroubles = ({ machines, servers }: Snapshot): string[] => {
  const troubled = machines.filter((machine) => !isLeaving(machine) && !isTrue(machine, 'Ready'))
  const names = new Set(troubled.map(({ metadata }) => metadata.name))
  return servers.filter(({ metadata }) => names.has(metadata.name)).flatMap(troubleWith)
}

/** Longest reason, characters: part of `status_reason`, which is shown in one line. */
const REASON_MAX = 500

/** Conditions to look at, in this order (cluster-api.md 2.3): the first that is not True says why. */
const OF_CLUSTER = ['InfrastructureReady'] as const
const OF_CONTROL_PLANE = ['Available', 'MachinesReady'] as const
const OF_DEPLOYMENT = ['MachinesReady'] as const
const OF_MACHINE = ['Ready'] as const

const cut = (text: string): string => (text.length > REASON_MAX ? `${text.slice(0, REASON_MAX - 1)}…` : text)

/** `MachineDeployment/paris-x-md-1 ScalingUp: no host was found`. Without a message the condition is named. */
const told = ({ kind, metadata }: CapiObject, { type, status, reason, message }: Condition): string => {
  const what = message === '' ? `${type} is ${status}` : withoutFullStop(inOneLine(message))
  return cut(`${kind}/${metadata.name} ${reason === '' ? type : reason}: ${what}`)
}

const failing = (object: CapiObject | undefined, types: readonly string[]): string[] =>
  object === undefined
    ? []
    : types.flatMap((type) => {
        const condition = conditionOf(object, type)
        return condition === undefined || condition.status === 'True' ? [] : [told(object, condition)]
      })

/** Reasons of TopologyReconciled with which somebody has to act; with all others it is on its way, and what holds it up says more. */
const TOPOLOGY_FAULTS = ['ReconcileFailed', 'ClusterClassNotReconciled', 'Paused', 'ClusterPaused']

const isUnderWay = (cluster: CapiObject | undefined): boolean =>
  cluster !== undefined && !TOPOLOGY_FAULTS.includes(conditionOf(cluster, 'TopologyReconciled')?.reason ?? '')

/**
 * Why it is not as it is wanted: the first condition that fails, in the words of Cluster API; before those of machines, which wait for the cloud, those of
 * what is made there. Undefined when none does.
 */
export const troubleOf = (snapshot: Snapshot): string | undefined => {
  const { cluster, controlPlane, deployments, machines } = snapshot
  const topology = failing(cluster, ['TopologyReconciled'])
  const [first] = [
    ...(isUnderWay(cluster) ? [] : topology),
    ...failing(cluster, OF_CLUSTER),
    ...serverTroubles(snapshot).map(cut),
    ...failing(controlPlane, OF_CONTROL_PLANE),
    ...deployments.flatMap((deployment) => failing(deployment, OF_DEPLOYMENT)),
    ...machines.filter((machine) => !isLeaving(machine)).flatMap((machine) => failing(machine, OF_MACHINE)),
    ...topology,
  ]
  return first
}

/** How far a deletion is, or that somebody holds it up. */
export const deletionOf = ({ cluster }: Snapshot): string | undefined => {
  if (cluster === undefined) return undefined
  const conditions = ['Deleting', 'Paused'].map((type) => conditionOf(cluster, type))
  const condition = conditions.find(
    (one) => one !== undefined && one.status !== 'False' && one.reason !== 'DeletionCompleted',
  )
  return condition && told(cluster, condition)
}

/** What the topology controller can't do of what the Cluster says now; undefined while it works. */
export const topologyFault = ({ cluster }: Snapshot): string | undefined => {
  const reconciled = cluster && conditionOf(cluster, 'TopologyReconciled')
  if (cluster === undefined || reconciled?.status !== 'False' || reconciled.reason !== 'ReconcileFailed')
    return undefined
  // What it says may be of the Cluster as it was before the change.
  const isCurrent = (reconciled.observedGeneration ?? cluster.metadata.generation) >= cluster.metadata.generation
  return isCurrent ? told(cluster, reconciled) : undefined
}
