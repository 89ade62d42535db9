import { expect } from 'vitest'
import type { Call } from './call.ts'

const text = expect.any(String)

/** About the cluster as a whole: version, health, discovery, who we are. */
export const CLUSTER_CALLS: readonly Call[] = [
  {
    title: 'tells its version to everybody',
    method: 'GET',
    path: '/version',
    as: 'anonymous',
    expected: { status: 200, body: { gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/), major: '1', minor: text } },
  },
  { title: 'is ready', method: 'GET', path: '/readyz', expected: { status: 200, text: 'ok' } },
  { title: 'is alive', method: 'GET', path: '/livez', expected: { status: 200, text: 'ok' } },
  {
    title: 'lists core versions',
    method: 'GET',
    path: '/api',
    expected: { status: 200, body: { kind: 'APIVersions', versions: ['v1'] } },
  },
  {
    title: 'lists groups',
    method: 'GET',
    path: '/apis',
    expected: {
      status: 200,
      body: {
        kind: 'APIGroupList',
        groups: expect.arrayContaining([
          expect.objectContaining({
            name: 'rbac.authorization.k8s.io',
            preferredVersion: { groupVersion: 'rbac.authorization.k8s.io/v1', version: 'v1' },
          }),
        ]),
      },
    },
  },
  {
    title: 'lists the resources of a group',
    method: 'GET',
    path: '/apis/rbac.authorization.k8s.io/v1',
    expected: {
      status: 200,
      body: {
        kind: 'APIResourceList',
        groupVersion: 'rbac.authorization.k8s.io/v1',
        resources: expect.arrayContaining([
          expect.objectContaining({ name: 'clusterroles', kind: 'ClusterRole', namespaced: false }),
        ]),
      },
    },
  },
  {
    title: 'does not know a group that is not served',
    method: 'GET',
    path: '/apis/nothing.example.test',
    expected: { status: 404, text: '404 page not found' },
  },
  {
    title: 'does not know a resource that is not served',
    method: 'GET',
    path: '/api/v1/nothings',
    expected: { status: 404, reason: 'NotFound' },
  },
  {
    title: 'refuses the anonymous',
    method: 'GET',
    path: '/api/v1/namespaces',
    as: 'anonymous',
    expected: { status: 403, reason: 'Forbidden' },
  },
  {
    title: 'refuses an unknown token',
    method: 'GET',
    path: '/api/v1/namespaces',
    as: 'stranger',
    expected: { status: 401, reason: 'Unauthorized' },
  },
  {
    title: 'says who we are',
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    expected: {
      status: 201,
      body: {
        kind: 'SelfSubjectReview',
        status: { userInfo: { username: text, groups: expect.arrayContaining(['system:authenticated']) } },
      },
    },
  },
  {
    title: 'says what we may do',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'create', group: '', resource: 'namespaces' } },
    },
    expected: { status: 201, body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } } },
  },
  {
    title: 'wants to know what about',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: {} },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid spec.resourceAttributes'] },
  },
  {
    title: 'has the namespace whose uid is the identity of the cluster',
    method: 'GET',
    path: '/api/v1/namespaces/kube-system',
    expected: { status: 200, body: { kind: 'Namespace', metadata: { name: 'kube-system', uid: text } } },
  },
  {
    title: 'lists nodes',
    method: 'GET',
    path: '/api/v1/nodes?limit=500',
    expected: { status: 200, body: { kind: 'NodeList', items: expect.any(Array) } },
  },
  {
    title: 'lists events of an object',
    method: 'GET',
    path: '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dnothing',
    expected: { status: 200, body: { kind: 'EventList', items: [] } },
  },
]
