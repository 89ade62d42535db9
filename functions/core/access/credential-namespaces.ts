import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { IssuedKubeconfig } from '../../store/inventory.store.ts'
import { type Cluster, federationUses } from '../cluster/cluster.ts'
import { StateConflict } from '../errors.ts'
import type { Federation } from '../federation/federation.ts'
import { clustersOfMembers } from '../grant/loans.ts'
import { mapLimited } from '../map-limited.ts'
import type { TablePorts } from '../ports.ts'
import { byNumber, listInWords, quote } from '../values/wording.ts'

/**
 * Namespaces in which fedplane keeps credentials in a cluster. Whoever edits there reads Secrets, and has tokens of the ServiceAccounts issued: that is
 * the rights of the control plane, of its members, or of fedplane itself (decision 0051).
 */

type Rights = { role: string; namespace?: string | null }

/** Viewers read no Secrets, and who has everything is an administrator. */
const isEditing = <R extends Rights>(rights: R): rights is R & { namespace: string } =>
  rights.role !== 'viewer' && typeof rights.namespace === 'string'

type Properties = Federation['properties']

/** Of a federation with these properties, in its host. */
const namespacesOf = (driver: FederationDriverDescription, id: string, properties: Properties): string[] => [
  ...driver.hostNamespaces({ id, properties }),
  ...(driver.credentialNamespaces?.({ id, properties }) ?? []),
]

/** Also those of properties that an update is still to put in force, or was to. */
const allOf = (
  { drivers }: Pick<TablePorts, 'drivers'>,
  { driver, id, properties, propertiesInForce }: Federation,
): string[] => {
  const description = drivers.federation.resolve(driver)
  return [properties, propertiesInForce ?? properties].flatMap((those) => namespacesOf(description, id, those))
}

/** Namespace of the account that fedplane has there. */
const ownNamespace = ({ identity }: Cluster): string | undefined =>
  /^system:serviceaccount:([^:]+):/.exec(identity?.user ?? '')?.[1]

type LookPorts = Pick<TablePorts, 'stores' | 'drivers'>

/** Why editing in a namespace of a cluster is more than that; undefined when nothing known is against it. Of creates and deletes, too. */
const faultIn = async ({ stores, drivers }: LookPorts, cluster: Cluster, namespace: string) => {
  if (ownNamespace(cluster) === namespace) return "fedplane's own account of the cluster is in it"
  const hosted = federationUses(cluster).filter(({ side }) => side === 'host')
  const federations = await mapLimited(hosted, ({ federation }) => stores.federations.get(federation))
  const using = federations.find((it) => it !== undefined && allOf({ drivers }, it).includes(namespace))
  if (using === undefined) return undefined
  const whose = using.projectId === cluster.projectId ? quote(using.name) : `of project ${using.projectId}`
  return `the federation ${whose} (${using.id}), which the cluster hosts, keeps credentials in it`
}

const refused = (namespace: string, fault: string): StateConflict =>
  new StateConflict(
    `Nobody is given a kubeconfig that can edit namespace ${namespace}: ${fault}. Name another namespace, or ask for the role viewer.`,
  )

/** @throws StateConflict naming why */
export const requireNoCredentialsIn = async (ports: LookPorts, cluster: Cluster, rights: Rights): Promise<void> => {
  if (!isEditing(rights)) return
  const fault = await faultIn(ports, cluster, rights.namespace)
  if (fault !== undefined) throw refused(rights.namespace, fault)
}

/**
 * The same for a kubeconfig of a control plane that brings workloads into members: what is written in its namespace acts in that of each member.
 *
 * @throws StateConflict, which says nothing of clusters of other projects
 */
export const requireNoCredentialsInMembers = async (
  ports: LookPorts,
  federation: Federation,
  rights: Rights,
): Promise<void> => {
  if (!isEditing(rights) || !ports.drivers.federation.resolve(federation.driver).capabilities.workloads) return
  const memberships = await ports.stores.memberships.listOf(federation)
  for (const cluster of await clustersOfMembers(ports.stores, memberships)) {
    const fault = await faultIn(ports, cluster, rights.namespace)
    if (fault === undefined) continue
    const isOwn = cluster.projectId === federation.projectId
    throw refused(
      rights.namespace,
      isOwn ? `in its member ${quote(cluster.name)} ${fault}` : 'a member of another project keeps credentials in it',
    )
  }
}

const endOf = (issued: readonly IssuedKubeconfig[]): string =>
  issued
    .map(({ expiresAt }) => expiresAt)
    .sort()
    .at(-1) ?? ''

/** Kubeconfigs that are out and can edit: of the cluster, and of the federations that bring workloads into it. */
const editorsOf = async ({ stores, clock }: EditorPorts, cluster: Cluster): Promise<IssuedKubeconfig[]> => {
  const { projectId, id } = cluster
  const joined = federationUses(cluster).filter(({ side }) => side === 'member')
  const issued = await Promise.all([
    stores.inventory.issuedOf({ projectId, id }),
    ...joined.map(({ federation }) => stores.inventory.issuedOf({ ...federation, kind: 'federation' })),
  ])
  const now = clock.now().toISOString()
  return issued.flat().filter((it) => isEditing(it) && !it.isWithheld && it.expiresAt > now)
}

type EditorPorts = Pick<TablePorts, 'stores' | 'clock'>

/** Federations use namespaces of their host from now on, or with changed properties. */
export type NamespaceUse = {
  host: Cluster & { readonly grant?: unknown }
  driver: FederationDriverDescription
  id: string
  properties: Properties
  /** Absent: it uses none yet. */
  before?: Properties
}

/** What the properties ask for besides what they asked for before. */
export const addedNamespaces = ({ driver, id, properties, before }: Omit<NamespaceUse, 'host'>): string[] => {
  const used = before === undefined ? [] : namespacesOf(driver, id, before)
  return namespacesOf(driver, id, properties).filter((namespace) => !used.includes(namespace))
}

/** That nobody was let into a namespace before credentials get there. @throws StateConflict saying until when */
export const requireNoEditors = async (ports: EditorPorts, use: NamespaceUse): Promise<void> => {
  const { host } = use
  const wanted = addedNamespaces(use)
  if (wanted.length === 0) return
  const editors = (await editorsOf(ports, host)).filter(({ namespace }) => namespace && wanted.includes(namespace))
  if (editors.length === 0) return
  if (host.grant !== undefined) {
    throw new StateConflict(
      `A namespace that the federation needs in its host is in use until ${endOf(editors)}. Try again then, or name another in "properties".`,
    )
  }
  const names = [...new Set(editors.map(({ namespace }) => namespace ?? ''))].sort()
  const users = [...new Set(editors.map(({ userId }) => userId))].sort()
  throw new StateConflict(
    `The federation would keep credentials in ${byNumber(names, 'namespace', 'namespaces')} ${listInWords(names)} of its host, where ${listInWords(users, 5)} can edit with a kubeconfig until ${endOf(editors)}. Try again then, or name another namespace in "properties".`,
  )
}

/** Of a cluster that is about to make others, whose credentials will be in it. @throws StateConflict saying until when */
export const requireNobodyEdits = async (ports: EditorPorts, cluster: Cluster): Promise<void> => {
  const editors = await editorsOf(ports, cluster)
  if (editors.length === 0) return
  throw new StateConflict(
    `Cluster ${quote(cluster.name)} can't become a management cluster while people can edit in it with a kubeconfig: until ${endOf(editors)}. Try again then.`,
  )
}
