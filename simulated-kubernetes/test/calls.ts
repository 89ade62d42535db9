import { expect } from 'vitest'
import type { Call } from './call.ts'
import { CLUSTER_CALLS } from './calls-cluster.ts'
import { CUSTOM_CALLS } from './calls-custom.ts'
import { OBJECT_CALLS } from './calls-objects.ts'
import { RIGHTS_CALLS } from './calls-rights.ts'
import { WORKLOAD_API_CALLS } from './calls-workloads.ts'

/**
 * Every kind of call that fedplane makes to a Kubernetes API server, and the refusals that it must tell apart, in an order in which
 * each finds what those before it made. Measured on kube-apiserver 1.36.3. They clean up after themselves.
 */
export const CALLS: readonly Call[] = [
  ...CLUSTER_CALLS,
  ...OBJECT_CALLS,
  ...RIGHTS_CALLS,
  ...CUSTOM_CALLS,
  ...WORKLOAD_API_CALLS,
]

/** The end: what the calls above leave is in this namespace and the two cluster-scoped objects. Needs a namespace controller. */
export const CLEANUP_CALLS: readonly Call[] = [
  {
    title: 'makes an object that a finalizer holds',
    method: 'POST',
    path: '/api/v1/namespaces/NS/configmaps',
    body: { metadata: { name: 'held', finalizers: ['example.test/hold'] } },
    expected: { status: 201 },
  },
  {
    title: 'deletes a namespace with content: Terminating at first',
    method: 'DELETE',
    path: '/api/v1/namespaces/NS',
    expected: {
      status: 200,
      body: {
        kind: 'Namespace',
        metadata: { name: 'NS' },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Terminating' },
      },
    },
  },
  {
    title: 'refuses new content in a namespace that is going, with the cause',
    method: 'POST',
    path: '/api/v1/namespaces/NS/configmaps',
    body: { metadata: { name: 'late' } },
    expected: { status: 403, reason: 'Forbidden', causes: ['NamespaceTerminating metadata.namespace'] },
  },
  {
    title: 'waits for the finalizer',
    method: 'GET',
    path: '/api/v1/namespaces/NS/configmaps/held',
    eventually: true,
    expected: { status: 200, body: { metadata: { deletionTimestamp: expect.any(String) } } },
  },
  {
    title: 'lets the held object go',
    method: 'PATCH',
    path: '/api/v1/namespaces/NS/configmaps/held',
    contentType: 'merge',
    body: { metadata: { finalizers: null } },
    expected: { status: 200 },
  },
  {
    title: 'empties and removes the namespace in the end',
    method: 'GET',
    path: '/api/v1/namespaces/NS',
    eventually: true,
    expected: { status: 404, reason: 'NotFound' },
  },
  {
    title: 'its content is gone with it',
    method: 'GET',
    path: '/api/v1/namespaces/NS/secrets',
    expected: { status: 200, body: { kind: 'SecretList', items: [] } },
  },
]
