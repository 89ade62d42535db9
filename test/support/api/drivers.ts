import { CLUSTER_TASKS } from '../../../functions/core/cluster/cluster-task.ts'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { MemoryClusters } from '../../../functions/drivers/cluster/memory/v1/observe.ts'
import type { ClusterDriver } from '../../../functions/drivers/contract/cluster-driver.ts'
import { DriverNotFound } from '../../../functions/drivers/contract/errors.ts'
import type { FederationDriver, Preflight } from '../../../functions/drivers/contract/federation-driver.ts'
import type { DriverSet, Drivers } from '../../../functions/drivers/contract/registry.ts'
import { type ManagedScript, managedClusterDriver } from '../drivers/managed-driver.ts'

const unexpected = (): never => {
  throw new Error('the API must not call this function of a driver')
}

/** Label of a cluster that the tests' drivers refuse, with its value as the sentence. */
export const REFUSED_LABEL = 'refused'

/** Refuses clusters and node groups with the label `refused`, and other numbers of masters, as a driver would. */
const check: ClusterDriver['check'] = ({ cluster, nodeGroups, task }) => {
  const refused = [cluster, ...nodeGroups].flatMap((one) => {
    const labels = 'magnum' in one ? one.magnum.labels : one.labels
    return labels[REFUSED_LABEL] ?? []
  })
  const resized =
    task?.kind === 'resize' && nodeGroups.some(({ id, role }) => id === task.nodeGroupId && role === 'master')
  return [...new Set(refused), ...(resized ? ['The number of masters can not be changed.'] : [])]
}

const ALL_TASKS = Object.fromEntries(CLUSTER_TASKS.map((kind) => [kind, []]))

type DriverOptions = { builtinTemplate?: ClusterDriver['builtinTemplate']; update?: ClusterDriver['phases']['update'] }

/** A cluster driver of which only the data is used, and `check`. */
const clusterDriver = (
  id: ClusterDriver['id'],
  capabilities: Partial<ClusterDriver['capabilities']>,
  { builtinTemplate = null, update = {} }: DriverOptions = {},
): ClusterDriver => ({
  id,
  contract: 1,
  description: `Cluster driver ${id} of the tests.`,
  capabilities: {
    needsKubeconfig: false,
    kubernetesApi: false,
    makesNodes: false,
    certificateAuthority: false,
    needsManagement: false,
    ...capabilities,
  },
  builtinTemplate,
  updates: CLUSTER_TASKS.filter((kind) => update[kind] !== undefined),
  check,
  federationFault: ({ name, driverState }) =>
    driverState.simulated === true ? `Cluster ${name} is simulated, so it can't be in a federation.` : undefined,
  phases: { create: [], update, delete: [] },
  connection: async () => ({
    server: 'https://api.example.com:6443',
    caPem: null,
    tlsServerName: null,
    tlsVerify: true,
    credential: { kind: 'token', token: new Secret('t') },
  }),
  observe: unexpected,
})

/** What the preflights of a `kube@1` federation answer; a test may replace them. */
export type PlannedPreflights = {
  host: (federation: Pick<Federation, 'id'>) => Promise<Preflight>
  member: (name: string) => Promise<Preflight>
  /** Of changed properties, at host and members; null for the host. */
  update: (name: string | null, federation: Pick<Federation, 'id' | 'properties'>) => Promise<Preflight>
}

const federationDriver = (
  id: FederationDriver['id'],
  capabilities: Partial<FederationDriver['capabilities']>,
  planned: PlannedPreflights,
): FederationDriver => ({
  id,
  contract: 1,
  description: `Federation driver ${id} of the tests.`,
  capabilities: {
    hostAsMember: false,
    usesKubernetesApi: false,
    kubeconfig: false,
    workloads: false,
    ...capabilities,
  },
  properties: [
    { key: 'color', description: 'Red or blue.', default: 'red' },
    { key: 'member-role', description: 'Any role.', default: null },
  ],
  validateProperties: ({ color = 'red' }) =>
    ['red', 'blue'].includes(color) ? [] : ['"properties.color" must be "red" or "blue".'],
  validateChange: (before, after) =>
    ['locked', 'pinned']
      .filter((key) => before[key] !== after[key])
      .map((key) => `"properties.${key}" can't be changed; create another federation.`),
  rights: ({ 'member-role': role }) => ({
    host: capabilities.usesKubernetesApi ? 'edit' : 'view',
    member: role === undefined || role === 'view' ? 'view' : role === 'edit' ? 'edit' : 'more',
  }),
  hostNamespaces: ({ properties }) => (properties.namespace === undefined ? [] : [properties.namespace]),
  phases: { create: [], update: [], delete: [], rotate: [] },
  checkHost: ({ federation }) => planned.host(federation),
  checkMember: ({ membership }) => planned.member(membership.memberName),
  checkUpdate: {
    host: ({ federation }) => planned.update(null, federation),
    member: ({ federation, membership }) => planned.update(membership.memberName, federation),
  },
  prepareMember: unexpected,
  registerMember: unexpected,
  observeMember: unexpected,
  deregisterMember: unexpected,
  cleanMember: unexpected,
  endpoint: unexpected,
})

/** Content of every kubeconfig that `platform@1` gives: nothing but the answer may have it. */
export const KUBECONFIG_MARKER = 'token-of-the-control-plane'

/** One with a control plane of its own: it gives kubeconfigs, unless a test had it fail, and brings workloads into members. */
const platform = (planned: PlannedPreflights): FederationDriver => ({
  ...federationDriver('platform@1', { kubeconfig: true, workloads: true }, planned),
  distinctMemberNames: true,
  rights: () => ({ host: 'more', member: 'more' }),
  kubeconfigs: {
    roles: { viewer: ['all', 'namespace'], editor: ['namespace'], admin: ['all'] },
    namespaceFault: (namespace) => (namespace === 'taken' ? 'The namespace taken is its own.' : undefined),
  },
  kubeconfig: async ({ federation, now }, { user, seconds, ...rights }) => ({
    kubeconfig: new Secret(
      JSON.stringify({ of: federation.name, for: user, token: KUBECONFIG_MARKER, ...rights }).replaceAll('":', '": '),
    ),
    expiresAt: new Date(Date.parse(now()) + seconds * 1000).toISOString(),
  }),
})

const setOf = <D extends { id: string }>(
  drivers: readonly D[],
  disabled: readonly D[] = [],
): DriverSet<D & { id: `${string}@${number}` }> => {
  type Known = D & { id: `${string}@${number}` }
  const find = (all: readonly D[], id: string): Known => {
    const found = all.find((driver) => driver.id === id)
    if (found !== undefined) return found as Known
    throw new DriverNotFound(
      `The driver "${id}" is not enabled. Enabled are ${all.map((driver) => driver.id).join(', ')}.`,
    )
  }
  return {
    list: () => drivers as readonly Known[],
    resolve: (id) => find([...drivers, ...disabled], id),
    choose: (id) => find(drivers, id),
  }
}

/**
 * Enabled drivers for tests of the API, one for each combination of capabilities that it asks about: clusters from a kubeconfig
 * (`kubeconfig@1`), with nodes that all kinds of change are known of (`memory@1`), with nodes that can't be changed (`rigid@1`, which
 * holds no authority either) and through management clusters (`managed@1`); federations that only play (`memory@1`), that talk to clusters (`kube@1`) and that take their
 * host as a member (`selfhost@1`), or have an API server and workloads (`platform@1`). `retired@1` is disabled.
 */
export const testDrivers = (planned: PlannedPreflights, managed: ManagedScript): Drivers => ({
  federation: {
    default: 'memory@1',
    ...setOf(
      [
        federationDriver('memory@1', { revoke: true }, planned),
        federationDriver('kube@1', { usesKubernetesApi: true }, planned),
        federationDriver('selfhost@1', { hostAsMember: true }, planned),
        platform(planned),
      ],
      [federationDriver('retired@1', {}, planned)],
    ),
  },
  cluster: setOf([
    clusterDriver(
      'kubeconfig@1',
      { needsKubeconfig: true, kubernetesApi: true },
      {
        builtinTemplate: { id: 'fed91a4e-0000-4000-8000-000000000001', name: 'external' },
        update: { credential: [] },
      },
    ),
    clusterDriver('memory@1', { makesNodes: true, certificateAuthority: true }, { update: ALL_TASKS }),
    clusterDriver('rigid@1', { makesNodes: true }),
    managedClusterDriver(new MemoryClusters(), managed),
  ]),
})
