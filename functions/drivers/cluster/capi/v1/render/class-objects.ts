import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../../../core/values/json.ts'
import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import type { Infrastructure } from '../infrastructure.ts'
import {
  classSpec,
  controlPlaneTemplate,
  KUBEADM_PLACEHOLDER,
  type TemplateNames,
  templateNames,
} from './class-spec.ts'
import { INFRASTRUCTURE_KINDS } from './infrastructures.ts'

/** Annotation with the hash of what an object was made from. One of our names with another hash is not ours, and nothing is made from it. */
export const CONTENT_HASH = 'fedplane.io/content-hash'

/** An object of a class, with where it is written. */
export type ClassObject = { resource: Resource; object: KubernetesObject }

const GROUPS = {
  core: 'cluster.x-k8s.io',
  controlPlane: 'controlplane.cluster.x-k8s.io',
  bootstrap: 'bootstrap.cluster.x-k8s.io',
} as const

const hashOf = (content: unknown): string => createHash('sha256').update(JSON.stringify(content)).digest('hex')

type Content = { apiVersion: string; kind: string; plural: string; name: string; spec: JsonObject }

const template = (spec: JsonObject): JsonObject => ({ template: { spec } })

/** What the class is, templates first. */
const contents = (infrastructure: Infrastructure, names: TemplateNames, className: string): Content[] => {
  const kind = INFRASTRUCTURE_KINDS[infrastructure]
  const { apiVersion, cluster, machine } = kind
  const machines = {
    apiVersion,
    kind: `${machine.kind}Template`,
    plural: machine.plural,
    spec: template(machine.placeholder),
  }
  return [
    {
      apiVersion,
      kind: `${cluster.kind}Template`,
      plural: cluster.plural,
      name: names.cluster,
      spec: template(cluster.placeholder),
    },
    { ...machines, name: names.controlPlaneMachine },
    { ...machines, name: names.worker },
    {
      apiVersion: `${GROUPS.controlPlane}/v1beta2`,
      kind: 'KubeadmControlPlaneTemplate',
      plural: 'kubeadmcontrolplanetemplates',
      name: names.controlPlane,
      spec: template(controlPlaneTemplate),
    },
    {
      apiVersion: `${GROUPS.bootstrap}/v1beta2`,
      kind: 'KubeadmConfigTemplate',
      plural: 'kubeadmconfigtemplates',
      name: names.worker,
      spec: template(KUBEADM_PLACEHOLDER),
    },
    {
      apiVersion: `${GROUPS.core}/v1beta2`,
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
