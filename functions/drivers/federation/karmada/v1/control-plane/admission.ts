import type { Manifest, PartOf } from '../../../../../kubernetes/manifest.ts'
import { WEBHOOK } from '../model/names.ts'

/** On the namespace of a member's Works while it leaves and its workloads stay. */
export const KEEP_LABEL = 'fedplane.io/keep-workloads'

/** Name of the policy and of its binding. */
const NAME = 'keep-workloads.fedplane.io'

const ADMISSION = 'admissionregistration.k8s.io/v1'

/**
 * While a member leaves, its Works keep `preserveResourcesOnDeletion`, and there are no new ones without it. Karmada's binding controller writes
 * the whole spec of a Work whenever it sees a change, and so would take the mark away between our patch and the deletion (design section 5): the
 * API server refuses that. `has()` guards each field, since absent ones are errors in CEL.
 */
export const keepWorkloads = (): Manifest<'ValidatingAdmissionPolicy' | 'ValidatingAdmissionPolicyBinding'>[] => [
  {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: NAME },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: { matchLabels: { [KEEP_LABEL]: 'true' } },
        objectSelector: {},
        resourceRules: [
          {
            apiGroups: ['work.karmada.io'],
            apiVersions: ['*'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['works'],
            scope: 'Namespaced',
          },
        ],
      },
      variables: [
        {
          name: 'keeps',
          expression: 'has(object.spec.preserveResourcesOnDeletion) && object.spec.preserveResourcesOnDeletion',
        },
        {
          name: 'kept',
          expression:
            'oldObject == null || (has(oldObject.spec.preserveResourcesOnDeletion) && oldObject.spec.preserveResourcesOnDeletion)',
        },
      ],
      validations: [
        {
          expression: 'variables.keeps || !variables.kept',
          message: 'The member is leaving the federation, and its workloads stay: preserveResourcesOnDeletion is kept.',
          reason: 'Forbidden',
        },
      ],
    },
  },
  {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: NAME },
    spec: { policyName: NAME, validationActions: ['Deny'] },
  },
]

/** Where the webhook server of a control plane is, as its API server sees it, and the authority of its certificate. */
export type WebhookSite = { namespace: string; caPem: string }

/** Seconds that a webhook may take; upstream's. */
const TIMEOUT_SECONDS = 3

type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

type Hook = {
  /** Before `.karmada.io`. */
  name: string
  /** Before `.karmada.io`; `*` for all groups. */
  group: string
  resources: string
  scope: 'Cluster' | 'Namespaced' | '*'
  operations: readonly Operation[]
  path: string
  timeoutSeconds?: number
  sideEffects?: 'NoneOnDryRun'
  objectSelector?: PartOf['labelSelector']
}

const CREATE_UPDATE = ['CREATE', 'UPDATE'] as const

/** A hook on creates and updates of a kind, whose path ends with that kind. */
const hook = (name: string, [group, resources]: [string, string], more: Partial<Hook> = {}): Hook => ({
  name,
  group,
  resources,
  scope: 'Namespaced',
  operations: CREATE_UPDATE,
  path: name,
  ...more,
})

const CLUSTER = { scope: 'Cluster' } as const
const ON_CREATE = { operations: ['CREATE'] } as const

/** What changes objects (federation-control-planes.md 1.7). */
const MUTATING: readonly Hook[] = [
  hook('propagationpolicy', ['policy', 'propagationpolicies']),
  hook('clusterpropagationpolicy', ['policy', 'clusterpropagationpolicies'], CLUSTER),
  hook('overridepolicy', ['policy', 'overridepolicies']),
  hook('resourcebinding', ['work', 'resourcebindings'], ON_CREATE),
  hook('clusterresourcebinding', ['work', 'clusterresourcebindings'], { ...CLUSTER, ...ON_CREATE }),
  hook('work', ['work', 'works']),
  hook('autoscaling', ['autoscaling', 'federatedhpas'], { path: 'federatedhpa' }),
  hook('multiclusterservice', ['networking', 'multiclusterservices']),
]

/** What refuses objects. `clustertaintpolicy` is in upstream's manifests, and left out by its own `init`. */
const VALIDATING: readonly Hook[] = [
  hook('propagationpolicy', ['policy', 'propagationpolicies']),
  hook('clusterpropagationpolicy', ['policy', 'clusterpropagationpolicies'], CLUSTER),
  hook('overridepolicy', ['policy', 'overridepolicies']),
  hook('clusteroverridepolicy', ['policy', 'clusteroverridepolicies'], CLUSTER),
  hook('config', ['config', 'resourceinterpreterwebhookconfigurations'], {
    ...CLUSTER,
    path: 'resourceinterpreterwebhookconfiguration',
  }),
  hook('resourceinterpretercustomization', ['config', 'resourceinterpretercustomizations'], {
    ...CLUSTER,
    timeoutSeconds: 10,
  }),
  hook('federatedresourcequota', ['policy', 'federatedresourcequotas']),
  hook('multiclusteringress', ['networking', 'multiclusteringresses']),
  hook('federatedhpa', ['autoscaling', 'federatedhpas']),
  hook('cronfederatedhpa', ['autoscaling', 'cronfederatedhpas']),
  hook('multiclusterservice', ['networking', 'multiclusterservices']),
  hook('resourcedeletionprotection', ['*', '*'], {
    scope: '*',
    operations: ['DELETE'],
    objectSelector: {
      matchExpressions: [{ key: 'resourcetemplate.karmada.io/deletion-protected', operator: 'Exists' }],
    },
  }),
  hook('resourcebinding', ['work', 'resourcebindings'], { sideEffects: 'NoneOnDryRun' }),
  hook('clustertaintpolicy', ['policy', 'clustertaintpolicies'], CLUSTER),
]

/** Client configuration of a webhook at a path: by URL, since the Service is in the host, not in the control plane. */
export const clientConfigOf = ({ namespace, caPem }: WebhookSite, path: string): PartOf['webhookClient'] => ({
  url: `https://${WEBHOOK}.${namespace}.svc:443/${path}`,
  caBundle: Buffer.from(caPem).toString('base64'),
})

const webhook = (site: WebhookSite, prefix: 'mutate' | 'validate', hook: Hook): PartOf['webhook'] => ({
  name: `${hook.name}.karmada.io`,
  rules: [
    {
      operations: hook.operations,
      apiGroups: [hook.group === '*' ? '*' : `${hook.group}.karmada.io`],
      apiVersions: ['*'],
      resources: [hook.resources],
      scope: hook.scope,
    },
  ],
  clientConfig: clientConfigOf(site, `${prefix}-${hook.path}`),
  ...(hook.objectSelector === undefined ? {} : { objectSelector: hook.objectSelector }),
  failurePolicy: 'Fail',
  sideEffects: hook.sideEffects ?? 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: hook.timeoutSeconds ?? TIMEOUT_SECONDS,
})

/** The two configurations, with upstream's names, so that its tools find them. */
export const webhookConfigurations = (
  site: WebhookSite,
): Manifest<'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration'>[] => [
  {
    apiVersion: ADMISSION,
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'mutating-config', labels: { app: WEBHOOK } },
    webhooks: MUTATING.map((hook) => webhook(site, 'mutate', hook)),
  },
  {
    apiVersion: ADMISSION,
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'validating-config', labels: { app: WEBHOOK } },
    webhooks: VALIDATING.map((hook) => webhook(site, 'validate', hook)),
  },
]
