import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { type Schema, schemaOf } from './faults.ts'

const GROUP = 'infrastructure.cluster.x-k8s.io'
const VERSION = 'v1beta1'

/** The template's own `spec` holds, at this place, the `spec` of what is made of it. */
const ofTemplate = (kind: string): Schema =>
  schemaOf(`${GROUP}/${VERSION}/${kind}Template`)?.properties?.template?.properties?.spec ?? {}

const definition = (kind: string, spec: Schema | undefined): KubernetesObject => {
  const plural = `${kind.toLowerCase()}s`
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const properties = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec,
    status,
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${GROUP}`,
      // Which of Cluster API's contracts the version follows: without it a reference can't be resolved (cluster-api.md section 6.1).
      labels: { 'cluster.x-k8s.io/v1beta1': VERSION },
    },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties } },
        },
      ],
    },
  }
}

/** Definitions of the kinds of CAPO that a topology is made of. */
export const capoDefinitions = (): KubernetesObject[] =>
  ['OpenStackCluster', 'OpenStackMachine'].flatMap((kind) => [
    definition(kind, ofTemplate(kind)),
    definition(`${kind}Template`, schemaOf(`${GROUP}/${VERSION}/${kind}Template`)),
  ])
