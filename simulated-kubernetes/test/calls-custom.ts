import { expect } from 'vitest'
import type { Call } from './call.ts'

const text = expect.any(String)
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const THINGS = '/apis/NS.example.test/v1/namespaces/NS/things'
const THINGS_V2 = '/apis/NS.example.test/v2/namespaces/NS/things'

const schema = (more: object = {}) => ({
  openAPIV3Schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 8, pattern: '^[a-z]*$' },
          mode: { type: 'string', enum: ['a', 'b'] },
          count: { type: 'integer', maximum: 5 },
          ...more,
        },
      },
      status: {
        type: 'object',
        properties: {
          conditions: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['type'],
            items: {
              type: 'object',
              required: ['type', 'status'],
              properties: {
                type: { type: 'string' },
                status: { type: 'string' },
                since: { type: 'string', format: 'date-time' },
              },
            },
          },
        },
      },
    },
  },
})

const version = (name: string, storage: boolean, more?: object) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: schema(more),
})

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.NS.example.test' },
  spec: {
    group: 'NS.example.test',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [version('v1', true, { old: { type: 'string' } }), version('v2', false)],
  },
}

const DEFINING: readonly Call[] = [
  {
    title: 'refuses a definition under a wrong name',
    method: 'POST',
    path: DEFINITIONS,
    body: { ...DEFINITION, metadata: { name: 'other.NS.example.test' } },
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueInvalid metadata.name'] },
  },
  {
    title: 'takes a definition by apply, and fills in its names',
    method: 'PATCH',
    path: `${DEFINITIONS}/things.NS.example.test?fieldManager=fedplane&force=true&fieldValidation=Strict`,
    contentType: 'apply',
    body: DEFINITION,
    expected: {
      status: 201,
      body: {
        metadata: { generation: 1 },
        spec: { names: { kind: 'Thing', listKind: 'ThingList', singular: 'thing' }, conversion: { strategy: 'None' } },
      },
    },
  },
  {
    title: 'establishes it',
    method: 'GET',
    path: `${DEFINITIONS}/things.NS.example.test`,
    eventually: true,
    expected: {
      status: 200,
      body: {
        status: {
          conditions: expect.arrayContaining([expect.objectContaining({ type: 'Established', status: 'True' })]),
          acceptedNames: { plural: 'things', kind: 'Thing' },
          storedVersions: ['v1'],
        },
      },
    },
  },
  {
    title: 'shows its resource in discovery',
    method: 'GET',
    path: '/apis/NS.example.test/v2',
    eventually: true,
    expected: {
      status: 200,
      body: {
        resources: expect.arrayContaining([
          expect.objectContaining({ name: 'things', kind: 'Thing', namespaced: true }),
          expect.objectContaining({ name: 'things/status' }),
        ]),
      },
    },
  },
  {
    title: 'serves it',
    method: 'GET',
    path: THINGS,
    eventually: true,
    expected: { status: 200, body: { kind: 'ThingList', apiVersion: 'NS.example.test/v1', items: [] } },
  },
  {
    title: 'prefers the newer version',
    method: 'GET',
    path: '/apis/NS.example.test',
    expected: {
      status: 200,
      body: { preferredVersion: { version: 'v2' }, versions: [{ version: 'v2' }, { version: 'v1' }] },
    },
  },
  {
    title: 'serves no version that is not declared',
    method: 'GET',
    path: '/apis/NS.example.test/v3/things',
    expected: { status: 404, text: '404 page not found' },
  },
]

const thing = (spec: unknown, more: object = {}) => ({
  apiVersion: 'NS.example.test/v1',
  kind: 'Thing',
  metadata: { name: 'x' },
  ...(spec === undefined ? {} : { spec }),
  ...more,
})

const refused = (title: string, spec: unknown, cause: string): Call => ({
  title,
  method: 'POST',
  path: THINGS,
  body: thing(spec),
  expected: { status: 422, reason: 'Invalid', causes: [cause] },
})

const CHECKING: readonly Call[] = [
  refused('refuses a missing object', undefined, 'FieldValueRequired spec'),
  refused('refuses a missing field', {}, 'FieldValueRequired spec.name'),
  refused('refuses text that is too short', { name: '' }, 'FieldValueInvalid spec.name'),
  refused('refuses text that is too long', { name: 'muchtoolong' }, 'FieldValueTooLong spec.name'),
  refused('refuses text of another form', { name: 'A' }, 'FieldValueInvalid spec.name'),
  refused('refuses a value that is not listed', { name: 'a', mode: 'c' }, 'FieldValueNotSupported spec.mode'),
  refused('refuses a number that is too large', { name: 'a', count: 7 }, 'FieldValueInvalid spec.count'),
  refused('refuses another type', { name: 5 }, 'FieldValueTypeInvalid spec.name'),
  {
    title: 'needs a kind',
    method: 'POST',
    path: THINGS,
    body: { metadata: { name: 'x' }, spec: { name: 'a' } },
    expected: { status: 400, reason: 'BadRequest' },
  },
  {
    title: 'refuses an unknown field when asked to',
    method: 'POST',
    path: `${THINGS}?fieldValidation=Strict`,
    body: thing({ name: 'a', surplus: 1 }),
    expected: { status: 400, reason: 'BadRequest' },
  },
  {
    title: 'refuses an unknown field in an apply',
    method: 'PATCH',
    path: `${THINGS}/x?fieldManager=fedplane&fieldValidation=Strict`,
    contentType: 'apply',
    body: thing({ name: 'a', surplus: 1 }),
    expected: { status: 500, reason: null },
  },
  {
    title: 'has no status of what is not there',
    method: 'PATCH',
    path: `${THINGS}/x/status?fieldManager=status`,
    contentType: 'apply',
    body: thing(undefined, { status: {} }),
    expected: { status: 404, reason: 'NotFound' },
  },
]

const status = (...conditions: object[]) => thing(undefined, { status: { conditions } })

const WRITING: readonly Call[] = [
  {
    title: 'makes a custom resource, without the status in its body',
    method: 'PATCH',
    path: `${THINGS}/x?fieldManager=fedplane&force=true&fieldValidation=Strict`,
    contentType: 'apply',
    body: thing({ name: 'abc', old: 'y' }, { status: { conditions: [{ type: 'A', status: 'True' }] } }),
    expected: {
      status: 201,
      body: { metadata: { generation: 1, uid: text }, spec: { name: 'abc', old: 'y' } },
      absent: ['status'],
    },
  },
  {
    title: 'writes its status through the subresource',
    method: 'PATCH',
    path: `${THINGS}/x/status?fieldManager=one&force=true&fieldValidation=Strict`,
    contentType: 'apply',
    body: status({ type: 'A', status: 'True' }),
    expected: {
      status: 200,
      body: {
        metadata: { generation: 1 },
        spec: { name: 'abc' },
        status: { conditions: [{ type: 'A', status: 'True' }] },
      },
    },
  },
  {
    title: 'checks dates',
    method: 'PATCH',
    path: `${THINGS}/x/status?fieldManager=two`,
    contentType: 'apply',
    body: status({ type: 'B', status: 'True', since: 'yesterday' }),
    expected: { status: 422, reason: 'Invalid', causes: ['FieldValueTypeInvalid status.conditions[1].since'] },
  },
  {
    title: 'keeps the conditions of another manager',
    method: 'PATCH',
    path: `${THINGS}/x/status?fieldManager=two`,
    contentType: 'apply',
    body: status({ type: 'B', status: 'True' }),
    expected: { status: 200, body: { status: { conditions: [{ type: 'A' }, { type: 'B' }] } } },
  },
  {
    title: 'removes the conditions that a manager names no longer',
    method: 'PATCH',
    path: `${THINGS}/x/status?fieldManager=one`,
    contentType: 'apply',
    body: thing(undefined, { status: {} }),
    expected: { status: 200, body: { status: { conditions: [{ type: 'B' }] } } },
  },
  {
    title: 'shows it in the other version, with its fields only',
    method: 'GET',
    path: `${THINGS_V2}/x`,
    expected: { status: 200, body: { apiVersion: 'NS.example.test/v2', spec: { name: 'abc' } }, absent: ['spec.old'] },
  },
  {
    title: 'counts changes of what is wanted',
    method: 'PATCH',
    path: `${THINGS}/x?fieldManager=contract`,
    contentType: 'merge',
    body: { spec: { mode: 'b' }, metadata: { finalizers: ['example.test/hold'] } },
    expected: {
      status: 200,
      body: { metadata: { generation: 2 }, spec: { mode: 'b', old: 'y' }, status: { conditions: [{ type: 'B' }] } },
    },
  },
  {
    title: 'lists custom resources with their kind',
    method: 'GET',
    path: THINGS,
    expected: { status: 200, body: { items: [{ kind: 'Thing', apiVersion: 'NS.example.test/v1' }] } },
  },
]

const REMOVING: readonly Call[] = [
  {
    title: 'keeps what a finalizer holds',
    method: 'DELETE',
    path: `${THINGS}/x`,
    expected: {
      status: 200,
      body: { kind: 'Thing', metadata: { deletionTimestamp: text, finalizers: ['example.test/hold'] } },
    },
  },
  {
    title: 'deletes a definition only after its resources',
    method: 'DELETE',
    path: `${DEFINITIONS}/things.NS.example.test`,
    expected: {
      status: 200,
      body: { metadata: { deletionTimestamp: text, finalizers: ['customresourcecleanup.apiextensions.k8s.io'] } },
    },
  },
  {
    title: 'makes no more of them meanwhile',
    method: 'POST',
    path: THINGS,
    body: thing({ name: 'late' }, { metadata: { name: 'late' } }),
    eventually: true,
    expected: { status: 403, reason: 'Forbidden' },
  },
  {
    title: 'lets go when the finalizer is removed',
    method: 'PATCH',
    path: `${THINGS}/x`,
    contentType: 'merge',
    body: { metadata: { finalizers: null } },
    expected: { status: 200, body: { metadata: { deletionTimestamp: text } } },
  },
  {
    title: 'removes the definition in the end',
    method: 'GET',
    path: `${DEFINITIONS}/things.NS.example.test`,
    eventually: true,
    expected: { status: 404, reason: 'NotFound' },
  },
  {
    title: 'serves it no more',
    method: 'GET',
    path: THINGS,
    eventually: true,
    expected: { status: 404, text: '404 page not found' },
  },
]

/** CustomResourceDefinitions and the resources that they declare. */
export const CUSTOM_CALLS: readonly Call[] = [...DEFINING, ...CHECKING, ...WRITING, ...REMOVING]
