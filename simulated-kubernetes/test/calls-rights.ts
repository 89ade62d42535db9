import { expect } from 'vitest'
import type { Call } from './call.ts'

const text = expect.any(String)
const ACCOUNTS = '/api/v1/namespaces/NS/serviceaccounts'
const SECRETS = '/api/v1/namespaces/NS/secrets'
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const RBAC = 'rbac.authorization.k8s.io'

const BINDING = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: 'NS:view' },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
  subjects: [{ kind: 'ServiceAccount', name: 'agent', namespace: 'NS' }],
}

const mayList = (resource: string, allowed: boolean): Call => ({
  title: `says that the account may ${allowed ? '' : 'not '}list ${resource}`,
  method: 'POST',
  path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  as: 'account',
  body: {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'list', group: '', resource } },
  },
  // An authorisation cache may hold the answer from before the binding.
  eventually: true,
  expected: { status: 201, body: { status: { allowed } } },
})

const TOKENS: readonly Call[] = [
  {
    title: 'makes a service account',
    method: 'POST',
    path: ACCOUNTS,
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'agent' } },
    expected: { status: 201, body: { kind: 'ServiceAccount', metadata: { name: 'agent', uid: text } } },
    remember: { 'metadata.uid': 'accountUid' },
  },
  {
    title: 'wants ten minutes at least',
    method: 'POST',
    path: `${ACCOUNTS}/agent/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 60 } },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid spec.expirationSeconds'] },
  },
  {
    title: 'gives no token of an account that is not there',
    method: 'POST',
    path: `${ACCOUNTS}/nobody/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    expected: { status: 404, reason: 'NotFound' },
  },
  {
    title: 'gives a token that expires',
    method: 'POST',
    path: `${ACCOUNTS}/agent/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
    expected: {
      status: 201,
      body: {
        kind: 'TokenRequest',
        spec: { expirationSeconds: 3600 },
        status: { token: text, expirationTimestamp: text },
      },
    },
    remember: { 'status.token': 'token' },
  },
  {
    title: 'knows the account by its token',
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    as: 'account',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    expected: {
      status: 201,
      body: {
        status: {
          userInfo: {
            username: 'system:serviceaccount:NS:agent',
            uid: '{accountUid}',
            groups: ['system:serviceaccounts', 'system:serviceaccounts:NS', 'system:authenticated'],
          },
        },
      },
    },
  },
]

const ROLE_CALLS: readonly Call[] = [
  mayList('namespaces', false),
  {
    title: 'refuses an account without rights',
    method: 'GET',
    path: '/api/v1/secrets',
    as: 'account',
    expected: { status: 403, reason: 'Forbidden', body: { details: { kind: 'secrets' } } },
  },
  {
    title: 'refuses a path too',
    method: 'GET',
    path: '/nothing',
    as: 'account',
    expected: { status: 403, reason: 'Forbidden' },
  },
  {
    title: 'needs a role in a binding',
    method: 'POST',
    path: BINDINGS,
    body: { metadata: { name: 'NS:empty' } },
    expected: {
      status: 422,
      reason: 'Invalid',
      causes: ['FieldValueNotSupported roleRef.kind', 'FieldValueRequired roleRef.name'],
    },
  },
  {
    title: 'binds a role by apply',
    method: 'PATCH',
    path: `${BINDINGS}/NS:view?fieldManager=fedplane&force=true&fieldValidation=Strict`,
    contentType: 'apply',
    body: BINDING,
    expected: {
      status: 201,
      body: { metadata: { name: 'NS:view' }, roleRef: BINDING.roleRef, subjects: BINDING.subjects },
    },
  },
  {
    title: 'does not change the role of a binding',
    method: 'PATCH',
    path: `${BINDINGS}/NS:view`,
    contentType: 'merge',
    body: { roleRef: { name: 'edit' } },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid roleRef'] },
  },
  mayList('namespaces', true),
  mayList('secrets', false),
  {
    title: 'lets the account list namespaces',
    method: 'GET',
    path: '/api/v1/namespaces',
    as: 'account',
    expected: { status: 200 },
  },
  {
    title: 'but not read secrets',
    method: 'GET',
    path: SECRETS,
    as: 'account',
    expected: { status: 403, reason: 'Forbidden' },
  },
  {
    title: 'but not write',
    method: 'POST',
    path: '/api/v1/namespaces/NS/configmaps',
    as: 'account',
    body: { metadata: { name: 'x' } },
    expected: { status: 403, reason: 'Forbidden' },
  },
  {
    title: 'makes a role of our own by apply',
    method: 'PATCH',
    path: `${ROLES}/NS:own?fieldManager=fedplane&force=true`,
    contentType: 'apply',
    body: {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'NS:own' },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }],
    },
    expected: { status: 201, body: { rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }] } },
  },
  {
    title: 'deletes the role',
    method: 'DELETE',
    path: `${ROLES}/NS:own`,
    expected: { status: 200, body: { status: 'Success' } },
  },
]

const TOKEN_SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'agent-token', annotations: { 'kubernetes.io/service-account.name': 'agent' } },
  type: 'kubernetes.io/service-account-token',
}

const SECRET_CALLS: readonly Call[] = [
  {
    title: 'needs an account for a token Secret',
    method: 'POST',
    path: SECRETS,
    body: { ...TOKEN_SECRET, metadata: { name: 'agent-token' } },
    expected: {
      status: 422,
      reason: 'Invalid',
      causes: ['FieldValueRequired metadata.annotations[kubernetes.io/service-account.name]'],
    },
  },
  {
    title: 'refuses data that is not base64',
    method: 'POST',
    path: SECRETS,
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' }, data: { a: '%%' } },
    expected: { status: 400, reason: 'BadRequest' },
  },
  {
    title: 'keeps text as base64',
    method: 'PATCH',
    path: `${SECRETS}/text?fieldManager=fedplane&force=true&fieldValidation=Strict`,
    contentType: 'apply',
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'text' }, stringData: { token: 'abc' } },
    expected: { status: 201, body: { type: 'Opaque', data: { token: 'YWJj' } }, absent: ['stringData'] },
  },
  {
    title: 'does not change the type of a Secret',
    method: 'PATCH',
    path: `${SECRETS}/text`,
    contentType: 'merge',
    body: { type: 'example.test/other' },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid type'] },
  },
  {
    title: 'makes a token Secret',
    method: 'POST',
    path: `${SECRETS}?fieldManager=fedplane&fieldValidation=Strict`,
    body: TOKEN_SECRET,
    expected: { status: 201, body: { type: TOKEN_SECRET.type } },
  },
]

/** Accounts, tokens, roles, Secrets. */
export const RIGHTS_CALLS: readonly Call[] = [
  ...TOKENS,
  ...ROLE_CALLS,
  ...SECRET_CALLS,
  {
    title: 'fills a token Secret (token controller)',
    method: 'GET',
    path: `${SECRETS}/agent-token`,
    eventually: true,
    expected: {
      status: 200,
      body: {
        metadata: { annotations: { 'kubernetes.io/service-account.uid': '{accountUid}' } },
        data: { token: text, 'ca.crt': text, namespace: text },
      },
    },
  },
  {
    title: 'deletes the binding',
    method: 'DELETE',
    path: `${BINDINGS}/NS:view`,
    expected: { status: 200, body: { status: 'Success' } },
  },
  mayList('namespaces', false),
  {
    title: 'deletes the account, and shows it once more',
    method: 'DELETE',
    path: `${ACCOUNTS}/agent`,
    expected: { status: 200, body: { kind: 'ServiceAccount', metadata: { name: 'agent' } } },
  },
  {
    title: 'removes the token Secret of an account that is gone (token controller)',
    method: 'GET',
    path: `${SECRETS}/agent-token`,
    eventually: true,
    expected: { status: 404, reason: 'NotFound' },
  },
  {
    title: 'knows the token no more (a real server remembers it for up to 10 s)',
    method: 'GET',
    path: '/api/v1/namespaces',
    as: 'account',
    eventually: true,
    expected: { status: 401, reason: 'Unauthorized' },
  },
]
