import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../../../core/values/json.ts'
import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import type { Infrastructure } from '../model/infrastructure.ts'
import {
  classSpec,
  controlPlaneTemplate,
  KUBEADM_PLACEHOLDER,
  type TemplateNames,
  templateNames,
} from './class-spec.ts'
import { INFRASTRUCTURE_KINDS } from './infrastructures.ts'
import { type ClusterSpec, entriesOf, specOf, VARIABLES, type Variable, type VariableName } from './topology.ts'

/** Annotation with the hash of what an object was made from. One of our names with another hash is not ours, and nothing is made from it. */
export const CONTENT_HASH = 'fedplane.io/content-hash'

/** An object of a class, with where it is written. */
export type ClassObject = { resource: Resource; object: KubernetesObject }

const hashOf = (content: unknown): string => createHash('sha256').update(JSON.stringify(content)).digest('hex')

/** What a variable becomes, without its name. */
type Kind = { apiVersion: string; kind: string; plural: string }
type Content = Kind & { name: string; spec: JsonObject }

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
    },
    workerMachine: machines,
    workerConfig: {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfigTemplate',
      plural: 'kubeadmconfigtemplates',
    },
  }
}

const template = (spec: JsonObject): JsonObject => ({ template: { spec } })

/** What the class is, templates first. The class is named by the hash of it: another order of keys would be another class. */
const contents = (infrastructure: Infrastructure, names: TemplateNames, className: string): Content[] => {
  const kind = INFRASTRUCTURE_KINDS[infrastructure]
  const kinds = kindsOf(infrastructure)
  const machine = { ...kinds.workerMachine, spec: template(kind.machine.placeholder) }
  return [
    { ...kinds.infrastructureCluster, name: names.cluster, spec: template(kind.cluster.placeholder) },
    { ...machine, name: names.controlPlaneMachine },
    { ...machine, name: names.worker },
    { ...kinds.controlPlaneConfig, name: names.controlPlane, spec: template(controlPlaneTemplate) },
    { ...kinds.workerConfig, name: names.worker, spec: template(KUBEADM_PLACEHOLDER) },
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'ClusterClass',
      plural: 'clusterclasses',
      name: className,
      spec: classSpec(kind, names),
    },
  ]
}

/** The driver's major version: another one has classes of its own. */
const PREFIX = 'fedplane-capi1'

/**
 * Name of the class that new clusters of an infrastructure are made from. The hash of all that the class is belongs to it, so that another
 * content has another name and a class never changes: clusters made from it stay on it until they are upgraded.
 */
export const className = (infrastructure: Infrastructure): string => {
  const content = contents(infrastructure, templateNames('x'), 'x')
  return `${PREFIX}-${infrastructure}-${hashOf(content).slice(0, 10)}`
}

/** `classRef` of a cluster that is made from the class of today. */
export const classRef = ({
  infrastructure,
  classNamespace: namespace,
}: {
  infrastructure: Infrastructure
  classNamespace: string
}): { name: string; namespace: string } => ({ name: className(infrastructure), namespace })

const objectOf = (content: Content, namespace: string): ClassObject => {
  const { apiVersion, kind, plural, name, spec } = content
  const [group = '', version = ''] = apiVersion.split('/')
  const object: KubernetesObject = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: { 'app.kubernetes.io/managed-by': 'fedplane' },
      annotations: { [CONTENT_HASH]: hashOf(content) },
    },
    spec,
  }
  return { resource: { group, version, plural, namespace }, object }
}

/** ClusterClass and templates in the order in which they are made, the class last. Create what is absent, compare the annotation of what is there, change nothing. */
export const managementObjects = (infrastructure: Infrastructure, namespace: string): ClassObject[] => {
  const name = className(infrastructure)
  return contents(infrastructure, templateNames(name), name).map((content) => objectOf(content, namespace))
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
  { name, value }: Variable,
): (Kind & { spec: JsonObject }) | undefined => {
  if (!isKnown(name)) return undefined
  const spec = name === 'controlPlaneConfig' ? { ...controlPlaneTemplate, kubeadmConfigSpec: value } : value
  return { ...kindsOf(infrastructure)[name], spec: template(spec as JsonObject) }
}

/**
 * What Cluster API would make of a Cluster's variables, for dry runs: each template that differs from those of `previous`, once. The webhooks of the Cluster
 * itself do not look into variables, so what is wrong with a machine shows only when its template is made.
 */
export const templateObjects = (
  infrastructure: Infrastructure,
  cluster: KubernetesObject,
  previous: KubernetesObject | undefined,
): ClassObject[] => {
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
