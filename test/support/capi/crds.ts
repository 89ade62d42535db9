type Schema = Record<string, unknown>

const open: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const openWith = (properties: Record<string, Schema>): Schema => ({ ...open, properties })
/** A list whose items are distinguished by their name. */
const byName = (item: Record<string, Schema>): Schema => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { ...openWith({ name: { type: 'string' }, ...item }), required: ['name'] },
})

const VARIABLES = byName({})
const OVERRIDES = openWith({ overrides: byName({}) })

const CLUSTER = openWith({
  topology: openWith({
    version: { type: 'string', minLength: 1 },
    variables: VARIABLES,
    controlPlane: openWith({ replicas: { type: 'integer' }, variables: OVERRIDES }),
    workers: openWith({ machineDeployments: byName({ replicas: { type: 'integer' }, variables: OVERRIDES }) }),
  }),
})

type Row = readonly [group: string, kind: string, spec?: Schema, version?: string]

const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io'

const ROWS: readonly Row[] = [
  ['cluster.x-k8s.io', 'Cluster', CLUSTER],
  ['cluster.x-k8s.io', 'ClusterClass'],
  ['cluster.x-k8s.io', 'MachineDeployment'],
  ['cluster.x-k8s.io', 'Machine'],
  ['controlplane.cluster.x-k8s.io', 'KubeadmControlPlane'],
  ['controlplane.cluster.x-k8s.io', 'KubeadmControlPlaneTemplate'],
  ['bootstrap.cluster.x-k8s.io', 'KubeadmConfigTemplate'],
  ['addons.cluster.x-k8s.io', 'ClusterResourceSet'],
  [INFRASTRUCTURE, 'DevClusterTemplate'],
  [INFRASTRUCTURE, 'DevMachineTemplate'],
  // What every release of CAPO serves.
  [INFRASTRUCTURE, 'OpenStackClusterTemplate', open, 'v1beta1'],
  [INFRASTRUCTURE, 'OpenStackMachineTemplate', open, 'v1beta1'],
]

const pluralOf = (kind: string): string => `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`

/** Definitions of what the driver touches, by name and scope as the real ones. */
export const definitions = (): object[] =>
  ROWS.map(([group, kind, spec = open, version = 'v1beta2']) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${pluralOf(kind)}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural: pluralOf(kind), singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec,
                status: open,
              },
            },
          },
        },
      ],
    },
  }))
