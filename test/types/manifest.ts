/**
 * Part of `npm run typecheck`, never run: ten faults that manifests have had, each of which must not compile. A directive `@ts-expect-error` over a line
 * that compiles is an error itself.
 */
import type { KubernetesObject } from '../../functions/kubernetes/client.ts'
import type { Manifest, PartOf } from '../../functions/kubernetes/manifest.ts'

const metadata = { name: 'x', namespace: 'y' }
const RBAC = 'rbac.authorization.k8s.io'

export const wrongGroup: Manifest<'Deployment'> = {
  // @ts-expect-error 1: Deployments are not of the core group
  apiVersion: 'v1',
  kind: 'Deployment',
  metadata,
  spec: { selector: { matchLabels: {} }, template: {} },
}

export const unknownField: Manifest<'Secret'> = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
  // @ts-expect-error 2: the field is `stringData`
  stringdata: { token: 'x' },
}

// @ts-expect-error 3: a Deployment needs a selector
export const missingField: Manifest<'Deployment'>['spec'] = { replicas: 1, template: {} }

export const nestedField: PartOf['container'] = {
  name: 'x',
  // @ts-expect-error 4: the field is `imagePullPolicy`
  imagePullpolicy: 'Always',
}

export const wrongType: PartOf['servicePort'] = {
  // @ts-expect-error 5: a number
  port: '443',
}

export const subjectKind: Manifest<'ClusterRoleBinding'> = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata,
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
  // @ts-expect-error 6: ServiceAccount
  subjects: [{ kind: 'ServiceAcount', name: 'x', namespace: 'y' }],
}

export const roleKind: Manifest<'ClusterRoleBinding'> = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata,
  // @ts-expect-error 7: a ClusterRoleBinding can't bind a Role
  roleRef: { apiGroup: RBAC, kind: 'Role', name: 'view' },
  subjects: [],
}

export const ruleField: Manifest<'Role'> = {
  apiVersion: `${RBAC}/v1`,
  kind: 'Role',
  metadata,
  // @ts-expect-error 8: the field is `apiGroups`
  rules: [{ apiGroup: [''], resources: ['secrets'], verbs: ['get'] }],
}

export const inSchema: PartOf['jsonSchema'] = {
  type: 'array',
  // @ts-expect-error 9: the field is `maxLength`, here in `items`, which the model leaves open
  items: { type: 'string', maxLenght: 1 },
}

export const metadataField: Manifest<'Namespace'> = {
  apiVersion: 'v1',
  kind: 'Namespace',
  // @ts-expect-error 10: the field is `labels`
  metadata: { name: 'x', label: {} },
}

/** What JSON has, the models say otherwise: all of this compiles. */
export const asInJson: PartOf['jsonSchema'] = {
  type: 'array',
  default: [],
  enum: ['a', 'b'],
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'immutable' }],
}

// @ts-expect-error The model's word for it is no field of the API
export const asInTheModel: PartOf['jsonSchema'] = { x_kubernetes_list_type: 'map' }

/** `port`: a number or the port's name. */
export const probes: PartOf['probe'][] = [{ httpGet: { port: 443 } }, { httpGet: { port: 'https' } }]

/** The client takes them all. */
export const asObject = (manifest: Manifest<'Deployment' | 'Secret'>): KubernetesObject => manifest
