import { expect } from 'vitest'
import type { Call } from './call.ts'

const text = expect.any(String)
const number = expect.any(Number)
const SERVICES = '/api/v1/namespaces/NS/services'
const CLAIMS = '/api/v1/namespaces/NS/persistentvolumeclaims'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/NS/deployments'
const STATEFUL_SETS = '/apis/apps/v1/namespaces/NS/statefulsets'
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

const service = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec })
const ports = [{ name: 'server', port: 5443 }]

const SERVICE_CALLS: readonly Call[] = [
  {
    title: 'makes a Service for a load balancer: with an address in the cluster and a node port',
    method: 'POST',
    path: `${SERVICES}?fieldValidation=Strict`,
    body: service('balanced', { type: 'LoadBalancer', ports, selector: { app: 'it' } }),
    expected: {
      status: 201,
      body: {
        spec: {
          type: 'LoadBalancer',
          clusterIP: text,
          ports: [{ name: 'server', port: 5443, targetPort: 5443, protocol: 'TCP', nodePort: number }],
        },
        status: { loadBalancer: {} },
      },
      absent: ['metadata.generation'],
    },
    remember: { 'spec.ports.0.nodePort': 'nodePort', 'spec.clusterIP': 'address' },
  },
  {
    title: 'gives a node port once',
    method: 'POST',
    path: SERVICES,
    body: '{"metadata":{"name":"second"},"spec":{"type":"NodePort","ports":[{"port":80,"nodePort":{nodePort}}]}}',
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid spec.ports[0].nodePort'] },
  },
  {
    title: 'has a range of node ports',
    method: 'POST',
    path: SERVICES,
    body: service('second', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }),
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid spec.ports[0].nodePort'] },
  },
  {
    title: 'keeps address and node port when the Service is applied again',
    method: 'PATCH',
    path: `${SERVICES}/balanced?fieldManager=contract&force=true&fieldValidation=Strict`,
    contentType: 'apply',
    body: service('balanced', { type: 'LoadBalancer', ports, selector: { app: 'other' } }),
    expected: {
      status: 200,
      body: { spec: { clusterIP: '{address}', selector: { app: 'other' }, ports: [{ nodePort: number }] } },
    },
  },
  {
    title: 'wants ports of a Service',
    method: 'POST',
    path: SERVICES,
    body: service('second', { selector: { app: 'it' } }),
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueRequired spec.ports'] },
  },
  {
    title: 'makes a headless Service',
    method: 'POST',
    path: SERVICES,
    body: service('headless', { clusterIP: 'None', publishNotReadyAddresses: true, selector: { app: 'it' } }),
    expected: { status: 201, body: { spec: { type: 'ClusterIP', clusterIP: 'None' } } },
  },
  {
    title: 'makes a Service that is a name elsewhere',
    method: 'POST',
    path: SERVICES,
    body: service('elsewhere', { type: 'ExternalName', externalName: 'it.example.test' }),
    expected: { status: 201, body: { spec: { type: 'ExternalName' } }, absent: ['spec.clusterIP'] },
  },
  {
    title: 'refuses fields below the top that a Service does not have',
    method: 'POST',
    path: `${SERVICES}?fieldValidation=Strict`,
    body: service('second', { ports, prots: [] }),
    expected: { status: 400, reason: 'BadRequest' },
  },
]

const template = (app: string, more: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'it', image: 'example.test/it:1', ...more }] },
})
const deployment = (spec: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, ...spec },
})
const statefulSet = (spec: object) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'data' },
  spec: {
    replicas: 0,
    serviceName: 'headless',
    selector: { matchLabels: { app: 'data' } },
    template: template('data', { volumeMounts: [{ name: 'disk', mountPath: '/data' }] }),
    ...spec,
  },
})
const claimSpec = (size: string) => ({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } })
const APPLY = 'fieldManager=contract&force=true&fieldValidation=Strict'

const WORKLOAD_CALLS: readonly Call[] = [
  {
    title: 'refuses a Deployment whose selector is not in its template',
    method: 'POST',
    path: DEPLOYMENTS,
    body: deployment({ template: template('other') }),
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid spec.template.metadata.labels'] },
  },
  {
    title: 'refuses a container that mounts what is no volume',
    method: 'POST',
    path: DEPLOYMENTS,
    body: deployment({ template: template('web', { volumeMounts: [{ name: 'none', mountPath: '/x' }] }) }),
    expected: {
      status: 422,
      reason: 'Invalid',
      causes: ['FieldValueNotFound spec.template.spec.containers[0].volumeMounts[0].name'],
    },
  },
  {
    title: 'refuses an applied Deployment with a field deep inside that is none',
    method: 'PATCH',
    path: `${DEPLOYMENTS}/web?${APPLY}`,
    contentType: 'apply',
    body: deployment({ template: template('web', { imagePullPolice: 'Always' }) }),
    expected: { status: 500, reason: null },
  },
  {
    title: 'makes a Deployment by apply, and counts from 1',
    method: 'PATCH',
    path: `${DEPLOYMENTS}/web?${APPLY}`,
    contentType: 'apply',
    body: deployment({ template: template('web', { env: [{ name: 'A', value: '1' }] }) }),
    expected: { status: 201, body: { metadata: { generation: 1 }, spec: { replicas: 0 } } },
  },
  {
    title: 'counts a change of the template, and takes a keyed list item by item',
    method: 'PATCH',
    path: `${DEPLOYMENTS}/web?fieldManager=other&force=true`,
    contentType: 'apply',
    body: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { template: { spec: { containers: [{ name: 'it', env: [{ name: 'B', value: '2' }] }] } } },
    },
    expected: {
      status: 200,
      body: {
        metadata: { generation: 2 },
        spec: {
          template: {
            spec: {
              containers: [
                {
                  image: 'example.test/it:1',
                  env: [
                    { name: 'A', value: '1' },
                    { name: 'B', value: '2' },
                  ],
                },
              ],
            },
          },
        },
      },
    },
  },
  {
    title: 'does not change a selector',
    method: 'PATCH',
    path: `${DEPLOYMENTS}/web`,
    contentType: 'merge',
    body: { spec: { selector: { matchLabels: { tier: 'a' } }, template: { metadata: { labels: { tier: 'a' } } } } },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid spec.selector'] },
  },
  {
    title: 'takes no status through the object',
    method: 'PATCH',
    path: `${DEPLOYMENTS}/web`,
    contentType: 'merge',
    body: { status: { readyReplicas: 7 } },
    expected: { status: 200, absent: ['status.readyReplicas'] },
  },
  {
    title: 'makes a StatefulSet with claims',
    method: 'POST',
    path: `${STATEFUL_SETS}?fieldValidation=Strict`,
    body: statefulSet({ volumeClaimTemplates: [{ metadata: { name: 'disk' }, spec: claimSpec('1Gi') }] }),
    expected: { status: 201, body: { metadata: { generation: 1 }, spec: { podManagementPolicy: 'OrderedReady' } } },
  },
  {
    title: 'changes no claim template of a StatefulSet',
    method: 'PATCH',
    path: `${STATEFUL_SETS}/data`,
    contentType: 'merge',
    body: { spec: { volumeClaimTemplates: [{ metadata: { name: 'disk' }, spec: claimSpec('2Gi') }] } },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueForbidden spec'] },
  },
  {
    title: 'deletes workloads: a Status, and gone',
    method: 'DELETE',
    path: `${STATEFUL_SETS}/data`,
    body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
    expected: { status: 200, body: { kind: 'Status', status: 'Success' } },
  },
]

const STORAGE_CALLS: readonly Call[] = [
  {
    // Tried only: where nobody takes its protection away, a claim would hold its namespace.
    title: 'makes a claim: Pending, protected',
    method: 'POST',
    path: `${CLAIMS}?fieldValidation=Strict&dryRun=All`,
    body: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'disk' },
      spec: { ...claimSpec('1Gi'), storageClassName: 'none-such' },
    },
    expected: {
      status: 201,
      body: {
        metadata: { finalizers: ['kubernetes.io/pvc-protection'] },
        spec: { volumeMode: 'Filesystem', storageClassName: 'none-such' },
        status: { phase: 'Pending' },
      },
    },
  },
  {
    title: 'wants the size of a claim',
    method: 'POST',
    path: CLAIMS,
    body: { metadata: { name: 'second' }, spec: { accessModes: ['ReadWriteOnce'] } },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueRequired spec.resources[storage]'] },
  },
  {
    title: 'lists storage classes',
    method: 'GET',
    path: '/apis/storage.k8s.io/v1/storageclasses',
    expected: { status: 200, body: { kind: 'StorageClassList' } },
  },
  {
    title: 'makes a budget for disruptions',
    method: 'POST',
    path: '/apis/policy/v1/namespaces/NS/poddisruptionbudgets?fieldValidation=Strict',
    body: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'data' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'data' } } },
    },
    expected: { status: 201, body: { metadata: { generation: 1 } } },
  },
]

const GROUP = 'contract-NS.example.test'
const apiService = `v1alpha1.${GROUP}`

const EXTENSION_CALLS: readonly Call[] = [
  {
    title: 'registers another API server',
    method: 'POST',
    path: `${API_SERVICES}?fieldValidation=Strict`,
    body: {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: apiService },
      spec: {
        group: GROUP,
        version: 'v1alpha1',
        groupPriorityMinimum: 2000,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { name: 'not-there', namespace: 'NS', port: 443 },
      },
    },
    expected: { status: 201 },
  },
  {
    title: 'says that it can not be used',
    method: 'GET',
    path: `${API_SERVICES}/${apiService}`,
    eventually: true,
    expected: {
      status: 200,
      body: { status: { conditions: [{ type: 'Available', status: 'False', reason: 'ServiceNotFound' }] } },
    },
  },
  {
    title: 'has no resources of it meanwhile',
    method: 'GET',
    path: `/apis/${GROUP}/v1alpha1/things`,
    eventually: true,
    expected: { status: 503, reason: null },
  },
  {
    title: 'nor a list of them',
    method: 'GET',
    path: `/apis/${GROUP}/v1alpha1`,
    eventually: true,
    expected: { status: 503, reason: null },
  },
  {
    title: 'lets it go',
    method: 'DELETE',
    path: `${API_SERVICES}/${apiService}`,
    expected: { status: 200, body: { kind: 'Status', status: 'Success' } },
  },
  {
    title: 'registers a webhook',
    method: 'POST',
    path: `${WEBHOOKS}?fieldValidation=Strict`,
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'NS' },
      webhooks: [
        {
          name: 'limits.example.test',
          rules: [
            {
              operations: ['CREATE', 'DELETE'],
              apiGroups: ['policy'],
              apiVersions: ['v1'],
              resources: ['poddisruptionbudgets'],
            },
          ],
          clientConfig: { url: 'https://127.0.0.1:9/check' },
          objectSelector: { matchExpressions: [{ key: 'contract', operator: 'Exists' }] },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          timeoutSeconds: 1,
        },
      ],
    },
    expected: { status: 201, body: { metadata: { generation: 1 } } },
  },
  {
    title: 'refuses what a webhook that can not be reached must see',
    method: 'POST',
    path: '/apis/policy/v1/namespaces/NS/poddisruptionbudgets?dryRun=All',
    body: {
      metadata: { name: 'held', labels: { contract: 'yes' } },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'x' } } },
    },
    eventually: true,
    expected: { status: 500, reason: 'InternalError' },
  },
  {
    title: 'and takes what it need not see',
    method: 'DELETE',
    path: '/apis/policy/v1/namespaces/NS/poddisruptionbudgets/data',
    expected: { status: 200, body: { kind: 'Status', status: 'Success' } },
  },
  {
    title: 'lets the webhook go',
    method: 'DELETE',
    path: `${WEBHOOKS}/NS`,
    expected: { status: 200, body: { kind: 'Status', status: 'Success' } },
  },
  {
    title: 'wants to know of a webhook what it does besides',
    method: 'POST',
    path: WEBHOOKS,
    body: {
      metadata: { name: 'NS-2' },
      webhooks: [
        { name: 'limits.example.test', clientConfig: { url: 'https://127.0.0.1:9/' }, admissionReviewVersions: ['v1'] },
      ],
    },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueRequired webhooks[0].sideEffects'] },
  },
]

const HELD = '/api/v1/namespaces/NS-finalized/configmaps/held'

/** A namespace is ended from outside while something holds its content, which then goes by itself. */
const FINALIZE_CALLS: readonly Call[] = [
  {
    title: 'makes another namespace',
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: 'NS-finalized' } },
    expected: { status: 201 },
  },
  {
    title: 'with something that is held',
    method: 'POST',
    path: '/api/v1/namespaces/NS-finalized/configmaps',
    body: { metadata: { name: 'held', finalizers: ['example.test/hold'] } },
    expected: { status: 201 },
  },
  {
    title: 'deletes it',
    method: 'DELETE',
    path: '/api/v1/namespaces/NS-finalized',
    expected: { status: 200, body: { status: { phase: 'Terminating' } } },
  },
  {
    title: 'takes the finalizer from it',
    method: 'PUT',
    path: '/api/v1/namespaces/NS-finalized/finalize',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'NS-finalized' }, spec: { finalizers: [] } },
    expected: { status: 200, absent: ['spec.finalizers'] },
  },
  {
    title: 'and it is gone',
    method: 'GET',
    path: '/api/v1/namespaces/NS-finalized',
    eventually: true,
    expected: { status: 404, reason: 'NotFound' },
  },
  {
    title: 'without it nothing in it can be changed',
    method: 'PATCH',
    path: HELD,
    contentType: 'merge',
    body: { metadata: { finalizers: null } },
    expected: { status: 404, reason: 'NotFound', body: { details: { kind: 'namespaces' } } },
  },
  {
    title: 'makes it again',
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: 'NS-finalized' } },
    expected: { status: 201 },
  },
  { title: 'deletes what was held, and is there still', method: 'DELETE', path: HELD, expected: { status: 200 } },
  {
    title: 'lets it go',
    method: 'PATCH',
    path: HELD,
    contentType: 'merge',
    body: { metadata: { finalizers: null } },
    expected: { status: 200 },
  },
  {
    title: 'deletes the namespace for good',
    method: 'DELETE',
    path: '/api/v1/namespaces/NS-finalized',
    expected: { status: 200 },
  },
]

/** What a workload is made of, and what is hung into the API server itself. */
export const WORKLOAD_API_CALLS: readonly Call[] = [
  ...SERVICE_CALLS,
  ...WORKLOAD_CALLS,
  ...STORAGE_CALLS,
  ...EXTENSION_CALLS,
  ...FINALIZE_CALLS,
]
