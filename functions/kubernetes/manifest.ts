import type {
  AdmissionregistrationV1WebhookClientConfig,
  AuthenticationV1TokenRequest,
  RbacV1Subject,
  V1Affinity,
  V1APIService,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1Container,
  V1CustomResourceConversion,
  V1CustomResourceDefinition,
  V1CustomResourceDefinitionVersion,
  V1Deployment,
  V1JSONSchemaProps,
  V1LabelSelector,
  V1MutatingWebhook,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1PersistentVolumeClaim,
  V1PersistentVolumeClaimSpec,
  V1PodDisruptionBudget,
  V1PodTemplateSpec,
  V1PolicyRule,
  V1Probe,
  V1Role,
  V1RoleBinding,
  V1RoleRef,
  V1Secret,
  V1SecurityContext,
  V1SelfSubjectAccessReview,
  V1SelfSubjectReview,
  V1Service,
  V1ServiceAccount,
  V1ServicePort,
  V1ServiceSpec,
  V1StatefulSet,
  V1StorageClass,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
} from '@kubernetes/client-node'

/** Any JSON value, constants too. */
type AnyJson = null | boolean | number | string | readonly AnyJson[] | { readonly [key: string]: AnyJson }

/** The schema of a CustomResourceDefinition: its model leaves open what is in `items` and `additionalProperties`. */
type JsonSchema = Omit<InJson<V1JSONSchemaProps>, 'items' | 'properties' | 'additionalProperties'> & {
  items?: JsonSchema
  properties?: Readonly<Record<string, JsonSchema>>
  additionalProperties?: JsonSchema | boolean
}

/** `x_kubernetes_list_type` → `x-kubernetes-list-type`. */
type Dashed<Name extends string> = Name extends `${infer First}_${infer Rest}` ? `${First}-${Dashed<Rest>}` : Name

/** What a model's field is called in JSON: models rename words that JavaScript keeps for itself, and signs that it has no names for. */
type FieldName<Name> = Name extends `x_kubernetes_${string}`
  ? Dashed<Name>
  : Name extends `_${infer Word}`
    ? Word
    : Name

type IsAny<T> = 0 extends 1 & T ? true : false

/**
 * A model of `@kubernetes/client-node` as the JSON that the API takes: the models are for its own serializer, which turns dates and names.
 * `IntOrString` is a number or text there and here. Lists may be constants.
 */
export type InJson<Model> =
  IsAny<Model> extends true
    ? AnyJson
    : Model extends Date
      ? string
      : Model extends readonly (infer Item)[]
        ? readonly InJson<Item>[]
        : Model extends object
          ? {
              [Name in keyof Model as FieldName<Name>]: Name extends 'openAPIV3Schema'
                ? JsonSchema
                : InJson<Model[Name]>
            }
          : Model

/** `T` with some of its fields made narrower. */
type Narrowed<T, Fields> = Omit<T, keyof Fields> & Fields

type RbacGroup = 'rbac.authorization.k8s.io'

/** Models say `string` where the API takes three words: a subject of a binding. */
type Subject = Narrowed<RbacV1Subject, { kind: 'ServiceAccount' | 'User' | 'Group'; apiGroup?: RbacGroup }>
type RoleRef<Kind extends string> = Narrowed<V1RoleRef, { apiGroup: RbacGroup; kind: Kind }>
type BindingFields<Kind extends string> = { roleRef: RoleRef<Kind>; subjects: Subject[] }

/** Built-in kinds that we make, by their name, with the group and version that we make them in. */
type BuiltIn = {
  APIService: ['apiregistration.k8s.io/v1', V1APIService]
  ClusterRole: ['rbac.authorization.k8s.io/v1', V1ClusterRole]
  ClusterRoleBinding: ['rbac.authorization.k8s.io/v1', Narrowed<V1ClusterRoleBinding, BindingFields<'ClusterRole'>>]
  CustomResourceDefinition: ['apiextensions.k8s.io/v1', V1CustomResourceDefinition]
  Deployment: ['apps/v1', V1Deployment]
  MutatingWebhookConfiguration: ['admissionregistration.k8s.io/v1', V1MutatingWebhookConfiguration]
  Namespace: ['v1', V1Namespace]
  PersistentVolumeClaim: ['v1', V1PersistentVolumeClaim]
  PodDisruptionBudget: ['policy/v1', V1PodDisruptionBudget]
  Role: ['rbac.authorization.k8s.io/v1', V1Role]
  RoleBinding: ['rbac.authorization.k8s.io/v1', Narrowed<V1RoleBinding, BindingFields<'ClusterRole' | 'Role'>>]
  Secret: ['v1', V1Secret]
  SelfSubjectAccessReview: ['authorization.k8s.io/v1', V1SelfSubjectAccessReview]
  SelfSubjectReview: ['authentication.k8s.io/v1', V1SelfSubjectReview]
  Service: ['v1', V1Service]
  ServiceAccount: ['v1', V1ServiceAccount]
  StatefulSet: ['apps/v1', V1StatefulSet]
  StorageClass: ['storage.k8s.io/v1', V1StorageClass]
  TokenRequest: ['authentication.k8s.io/v1', AuthenticationV1TokenRequest]
  ValidatingAdmissionPolicy: ['admissionregistration.k8s.io/v1', V1ValidatingAdmissionPolicy]
  ValidatingAdmissionPolicyBinding: ['admissionregistration.k8s.io/v1', V1ValidatingAdmissionPolicyBinding]
  ValidatingWebhookConfiguration: ['admissionregistration.k8s.io/v1', V1ValidatingWebhookConfiguration]
}

/** What a manifest of ours says about itself; a name is always given, never generated. */
export type ManifestMeta = {
  name: string
  namespace?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
}

/** As `metadata.ownerReferences` takes it. */
export type OwnerReference = { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }

/**
 * A manifest of a built-in kind, exact to the field: an unknown field, a missing one or one of another type does not compile. Types only: nothing of
 * `@kubernetes/client-node` gets into a bundle (decision 0008).
 */
export type Manifest<Kind extends keyof BuiltIn> = {
  [Name in Kind]: { apiVersion: BuiltIn[Name][0]; kind: Name; metadata: ManifestMeta } & Omit<
    InJson<BuiltIn[Name][1]>,
    'apiVersion' | 'kind' | 'metadata' | 'status'
  >
}[Kind]

type Reviews = 'SelfSubjectAccessReview' | 'SelfSubjectReview' | 'TokenRequest'

/** What is posted to a review: it has no metadata, since it is answered and never stored. */
export type Review<Kind extends Reviews> = {
  [Name in Kind]: { apiVersion: BuiltIn[Name][0]; kind: Name } & Omit<
    InJson<BuiltIn[Name][1]>,
    'apiVersion' | 'kind' | 'metadata' | 'status'
  >
}[Kind]

/** Parts of manifests that helpers make. */
export type PartOf = {
  affinity: InJson<V1Affinity>
  container: InJson<V1Container>
  conversion: InJson<V1CustomResourceConversion>
  crdVersion: InJson<V1CustomResourceDefinitionVersion>
  jsonSchema: JsonSchema
  labelSelector: InJson<V1LabelSelector>
  podTemplate: InJson<V1PodTemplateSpec>
  policyRule: InJson<V1PolicyRule>
  probe: InJson<V1Probe>
  securityContext: InJson<V1SecurityContext>
  servicePort: InJson<V1ServicePort>
  serviceSpec: InJson<V1ServiceSpec>
  volumeClaimSpec: InJson<V1PersistentVolumeClaimSpec>
  /** What mutating and validating ones have in common. */
  webhook: InJson<V1MutatingWebhook>
  webhookClient: InJson<AdmissionregistrationV1WebhookClientConfig>
}
