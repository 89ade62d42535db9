import type { Json, JsonObject } from '../../../../../core/values/json.ts'
import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import type { Infrastructure } from '../infrastructure.ts'
import { controlPlaneTemplate } from './class-spec.ts'
import { INFRASTRUCTURE_KINDS } from './infrastructures.ts'
import { type ClusterSpec, entriesOf, specOf, type Variable } from './topology.ts'
import { VARIABLES, type VariableName } from './variables.ts'

type Template = { resource: Resource; object: KubernetesObject }

/** What a variable becomes, without its name. */
type Kind = { apiVersion: string; kind: string; plural: string; specOf?(value: Json): JsonObject }

const kindsOf = (infrastructure: Infrastructure): Readonly<Record<VariableName, Kind>> => {
  const { apiVersion, cluster, machine } = INFRASTRUCTURE_KINDS[infrastructure]
  const machines = { apiVersion, kind: `${machine.kind}Template`, plural: machine.plural }
  return {
    infrastructureCluster: { apiVersion, kind: `${cluster.kind}Template`, plural: cluster.plural },
    controlPlaneMachine: machines,
    controlPlaneConfig: {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmControlPlaneTemplate',
      plural: 'kubeadmcontrolplanetemplates',
      specOf: (kubeadmConfigSpec) => ({ ...controlPlaneTemplate, kubeadmConfigSpec }),
    },
    workerMachine: machines,
    workerConfig: {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfigTemplate',
      plural: 'kubeadmconfigtemplates',
    },
  }
}

const isKnown = (name: string): name is VariableName => Object.hasOwn(VARIABLES, name)

/** All variables, those of the cluster and those of each worker group. */
const variablesOf = (spec: ClusterSpec): Variable[] => [
  ...spec.topology.variables,
  ...entriesOf(spec).flatMap(({ variables }) => variables?.overrides ?? []),
]

/** As the class's patches put a variable into its template. */
const templateOf = (
  infrastructure: Infrastructure,
  { name: variable, value }: Variable,
): (Omit<Kind, 'specOf'> & { spec: JsonObject }) | undefined => {
  if (!isKnown(variable)) return undefined
  const { specOf: whole = (one: Json) => one as JsonObject, ...kind } = kindsOf(infrastructure)[variable]
  return { ...kind, spec: { template: { spec: whole(value) } } }
}

/**
 * What Cluster API would make of a Cluster's variables, for dry runs: each template that differs from those of `previous`, once. The webhooks of the Cluster
 * itself do not look into variables, so what is wrong with a machine shows only when its template is made.
 */
export const templateObjects = (
  infrastructure: Infrastructure,
  cluster: KubernetesObject,
  previous: KubernetesObject | undefined,
): Template[] => {
  const of = (object: KubernetesObject) =>
    variablesOf(specOf(object)).flatMap((variable) => templateOf(infrastructure, variable) ?? [])
  const known = new Set(previous === undefined ? [] : of(previous).map((one) => JSON.stringify(one)))
  const wanted = new Map(of(cluster).map((one) => [JSON.stringify(one), one] as const))
  const { name, namespace } = cluster.metadata
  return [...wanted]
    .filter(([text]) => !known.has(text))
    .map(([, { apiVersion, kind, plural, spec }], index) => {
      const [group = '', version = ''] = apiVersion.split('/')
      const metadata = { name: `${name}-preview-${index}`, ...(namespace === undefined ? {} : { namespace }) }
      return {
        resource: { group, version, plural, ...(namespace === undefined ? {} : { namespace }) },
        object: { apiVersion, kind, metadata, spec },
      }
    })
}
