import { expect } from 'vitest'
import type { Call } from './call.ts'

const text = expect.any(String)
const MAPS = '/api/v1/namespaces/NS/configmaps'
const APPLIED = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' } }

const CREATING: readonly Call[] = [
  {
    title: 'makes a namespace',
    method: 'POST',
    path: '/api/v1/namespaces?fieldValidation=Strict',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'NS', labels: { 'fedplane.io/contract': 'yes' } } },
    expected: {
      status: 201,
      body: {
        metadata: {
          name: 'NS',
          uid: text,
          resourceVersion: text,
          creationTimestamp: text,
          labels: { 'kubernetes.io/metadata.name': 'NS' },
        },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      },
    },
  },
  {
    title: 'does not make it twice',
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: 'NS' } },
    expected: { status: 409, reason: 'AlreadyExists' },
  },
  {
    title: 'refuses a bad name',
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: 'Bad_Name' } },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid metadata.name'] },
  },
  {
    title: 'refuses a bad label',
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: 'other', labels: { a: 'b c' } } },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid metadata.labels'] },
  },
  {
    title: 'refuses an object without a name',
    method: 'POST',
    path: MAPS,
    body: { metadata: {} },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueRequired metadata.name'] },
  },
  {
    title: 'refuses a POST to an object',
    method: 'POST',
    path: '/api/v1/namespaces/NS',
    body: { metadata: { name: 'NS' } },
    expected: { status: 405, reason: 'MethodNotAllowed' },
  },
  {
    title: 'needs the namespace to be there',
    method: 'POST',
    path: '/api/v1/namespaces/fedplane-not-there/configmaps',
    body: { metadata: { name: 'x' } },
    expected: {
      status: 404,
      reason: 'NotFound',
      body: { details: { kind: 'namespaces', name: 'fedplane-not-there' } },
    },
  },
  {
    title: 'refuses an object of another kind',
    method: 'POST',
    path: MAPS,
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } },
    expected: { status: 400, reason: 'BadRequest' },
  },
  {
    title: 'refuses an object of another namespace',
    method: 'POST',
    path: MAPS,
    body: { metadata: { name: 'x', namespace: 'default' } },
    expected: { status: 400, reason: 'BadRequest' },
  },
  {
    title: 'refuses broken JSON',
    method: 'POST',
    path: MAPS,
    body: '{"a',
    expected: { status: 400, reason: 'BadRequest' },
  },
  {
    title: 'refuses an unknown content type',
    method: 'POST',
    path: MAPS,
    body: 'x',
    contentType: 'text',
    expected: { status: 415, reason: 'UnsupportedMediaType' },
  },
  {
    title: 'refuses unknown fields when asked to',
    method: 'POST',
    path: `${MAPS}?fieldValidation=Strict`,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, surplus: 1 },
    expected: { status: 400, reason: 'BadRequest' },
  },
  {
    title: 'makes up a name',
    method: 'POST',
    path: MAPS,
    body: { metadata: { generateName: 'made-', labels: { part: 'contract', number: 'two' } }, data: { a: '1' } },
    expected: { status: 201, body: { metadata: { name: expect.stringMatching(/^made-[a-z0-9]{5}$/) } } },
    remember: { 'metadata.name': 'made' },
  },
  {
    title: 'makes an object',
    method: 'POST',
    path: MAPS,
    body: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'plain', labels: { part: 'contract', number: 'one' } },
      data: { a: '1' },
    },
    expected: { status: 201, body: { kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } } },
    remember: { 'metadata.uid': 'uid', 'metadata.resourceVersion': 'version' },
  },
]

const listed = (...names: string[]) => ({
  kind: 'ConfigMapList',
  items: names.map((name) => ({ metadata: { name } })),
})

const READING: readonly Call[] = [
  {
    title: 'reads it',
    method: 'GET',
    path: `${MAPS}/plain`,
    expected: { status: 200, body: { metadata: { uid: '{uid}' } } },
  },
  {
    title: 'does not find another',
    method: 'GET',
    path: `${MAPS}/nothing`,
    expected: { status: 404, reason: 'NotFound' },
  },
  {
    title: 'lists by label; items of built-in kinds have no kind',
    method: 'GET',
    path: `${MAPS}?labelSelector=part%3Dcontract`,
    expected: { status: 200, body: listed('{made}', 'plain'), absent: ['items.0.kind', 'items.0.apiVersion'] },
  },
  {
    title: 'lists by a set of labels',
    method: 'GET',
    path: `${MAPS}?labelSelector=${encodeURIComponent('part in (contract,x),number notin (one)')}`,
    expected: { status: 200, body: listed('{made}') },
  },
  {
    title: 'lists by inequality and existence',
    method: 'GET',
    path: `${MAPS}?labelSelector=${encodeURIComponent('part,number!=two,!absent')}`,
    expected: { status: 200, body: listed('plain') },
  },
  {
    title: 'lists by name',
    method: 'GET',
    path: `${MAPS}?fieldSelector=metadata.name%3Dplain`,
    expected: { status: 200, body: listed('plain') },
  },
  {
    title: 'lists in pages',
    method: 'GET',
    path: `${MAPS}?labelSelector=part%3Dcontract&limit=1`,
    expected: { status: 200, body: { ...listed('{made}'), metadata: { continue: text } } },
    remember: { 'metadata.continue': 'continue' },
  },
  {
    title: 'lists the next page, the last',
    method: 'GET',
    path: `${MAPS}?labelSelector=part%3Dcontract&limit=1&continue={continue}`,
    expected: { status: 200, body: listed('plain'), absent: ['metadata.continue'] },
  },
  {
    title: 'refuses a selector that it can not read',
    method: 'GET',
    path: `${MAPS}?labelSelector=a%3D%3D%3D`,
    expected: { status: 400, reason: 'BadRequest' },
  },
  {
    title: 'refuses a field that it does not select by',
    method: 'GET',
    path: `${MAPS}?fieldSelector=data.a%3D1`,
    expected: { status: 400, reason: 'BadRequest' },
  },
  {
    title: 'lists nothing in a namespace that is not there',
    method: 'GET',
    path: '/api/v1/namespaces/fedplane-not-there/configmaps',
    expected: { status: 200, body: { kind: 'ConfigMapList', items: [] } },
  },
]

const CHANGING: readonly Call[] = [
  {
    title: 'merges a patch, null removes',
    method: 'PATCH',
    path: `${MAPS}/plain?fieldManager=contract`,
    contentType: 'merge',
    body: { metadata: { labels: { number: null } }, data: { b: '2' } },
    expected: {
      status: 200,
      body: { metadata: { labels: { part: 'contract' } }, data: { a: '1', b: '2' } },
      absent: ['metadata.labels.number'],
    },
    remember: { 'metadata.resourceVersion': 'newer' },
  },
  {
    title: 'keeps the version when a patch changes nothing',
    method: 'PATCH',
    path: `${MAPS}/plain?fieldManager=contract`,
    contentType: 'merge',
    body: { data: { b: '2' } },
    expected: { status: 200, body: { metadata: { resourceVersion: '{newer}' } } },
  },
  {
    title: 'refuses an update of an older version',
    method: 'PUT',
    path: `${MAPS}/plain`,
    body: { metadata: { name: 'plain', resourceVersion: '{version}' } },
    expected: { status: 409, reason: 'Conflict' },
  },
  {
    title: 'updates the newest version',
    method: 'PUT',
    path: `${MAPS}/plain`,
    body: { metadata: { name: 'plain', resourceVersion: '{newer}' }, data: { c: '3' } },
    expected: {
      status: 200,
      body: { metadata: { uid: '{uid}' }, data: { c: '3' } },
      absent: ['data.a', 'metadata.labels'],
    },
  },
  {
    title: 'refuses an update under another name',
    method: 'PUT',
    path: `${MAPS}/plain`,
    body: { metadata: { name: 'other' } },
    expected: { status: 400, reason: 'BadRequest' },
  },
  {
    title: 'does not patch what is not there',
    method: 'PATCH',
    path: `${MAPS}/nothing`,
    contentType: 'merge',
    body: {},
    expected: { status: 404, reason: 'NotFound' },
  },
]

const applied = (
  manager: string,
  data: Record<string, string>,
  query = '',
): Pick<Call, 'method' | 'path' | 'contentType' | 'body'> => ({
  method: 'PATCH',
  path: `${MAPS}/applied?fieldManager=${manager}&fieldValidation=Strict${query}`,
  contentType: 'apply',
  body: { ...APPLIED, data },
})

const APPLYING: readonly Call[] = [
  {
    title: 'needs a field manager to apply',
    method: 'PATCH',
    path: `${MAPS}/applied`,
    contentType: 'apply',
    body: APPLIED,
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueRequired fieldManager'] },
  },
  {
    title: 'makes what is applied',
    ...applied('one', { a: '1', b: '1' }),
    expected: { status: 201, body: { data: { a: '1', b: '1' } } },
  },
  {
    title: 'changes what is applied again',
    ...applied('one', { a: '2', b: '1' }),
    expected: { status: 200, body: { data: { a: '2', b: '1' } } },
    remember: { 'metadata.resourceVersion': 'appliedVersion' },
  },
  {
    title: 'keeps the version when nothing changes',
    ...applied('one', { a: '2', b: '1' }),
    expected: { status: 200, body: { metadata: { resourceVersion: '{appliedVersion}' } } },
  },
  {
    title: 'tells a field of another manager',
    ...applied('two', { a: '3' }),
    expected: { status: 409, reason: 'Conflict', causes: ['FieldManagerConflict .data.a'] },
  },
  {
    title: 'takes it by force',
    ...applied('two', { a: '3', c: '3' }, '&force=true'),
    expected: { status: 200, body: { data: { a: '3', b: '1', c: '3' } } },
  },
  {
    title: 'removes what a manager names no longer, and nothing of the other',
    ...applied('one', {}),
    expected: { status: 200, body: { data: { a: '3', c: '3' } }, absent: ['data.b'] },
  },
  {
    title: 'refuses an unknown field in an apply: 500, no reason',
    method: 'PATCH',
    path: `${MAPS}/applied?fieldManager=one&fieldValidation=Strict`,
    contentType: 'apply',
    body: { ...APPLIED, surplus: 1 },
    expected: { status: 500, reason: null },
  },
  {
    title: 'refuses an apply under another name',
    method: 'PATCH',
    path: `${MAPS}/else?fieldManager=one`,
    contentType: 'apply',
    body: APPLIED,
    expected: { status: 400, reason: 'BadRequest' },
  },
]

const DELETING: readonly Call[] = [
  {
    title: 'does not delete under another uid',
    method: 'DELETE',
    path: `${MAPS}/plain`,
    body: { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } },
    expected: { status: 409, reason: 'Conflict' },
  },
  {
    title: 'deletes under its uid',
    method: 'DELETE',
    path: `${MAPS}/plain`,
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: '{uid}' } },
    expected: {
      status: 200,
      body: { kind: 'Status', status: 'Success', details: { kind: 'configmaps', name: 'plain', uid: '{uid}' } },
    },
  },
  {
    title: 'does not delete it twice',
    method: 'DELETE',
    path: `${MAPS}/plain`,
    expected: { status: 404, reason: 'NotFound' },
  },
]

/** Objects of the core group: create, read, list, change, apply, delete. */
export const OBJECT_CALLS: readonly Call[] = [...CREATING, ...READING, ...CHANGING, ...APPLYING, ...DELETING]
