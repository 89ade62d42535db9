import type { Manifest } from '../../../../../kubernetes/manifest.ts'

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
