import type { PartOf } from '../../../../../kubernetes/manifest.ts'
import { EXTENSION, IMMUTABLE, PROPERTIES, profileSchema, VERSION } from './common.ts'
import { CONDITIONS } from './condition.ts'

const CLUSTER: PartOf['jsonSchema'] = {
  type: 'object',
  required: ['server'],
  properties: {
    server: { type: 'string' },
    'tls-server-name': { type: 'string' },
    'insecure-skip-tls-verify': { type: 'boolean' },
    'certificate-authority': { type: 'string' },
    'certificate-authority-data': { type: 'string', format: 'byte' },
    'proxy-url': { type: 'string' },
    'disable-compression': { type: 'boolean' },
    extensions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'extension'],
        properties: { name: { type: 'string' }, extension: EXTENSION },
      },
    },
  },
}

const PROVIDERS: PartOf['jsonSchema'] = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, cluster: CLUSTER } },
}

/** What every consumer released so far reads; also what is stored. */
export const v1alpha1 = (): PartOf['crdVersion'] => ({
  name: 'v1alpha1',
  served: true,
  storage: true,
  subresources: { status: {} },
  schema: profileSchema(
    {
      displayName: { type: 'string' },
      clusterManager: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' } },
        'x-kubernetes-validations': [IMMUTABLE],
      },
    },
    {
      conditions: CONDITIONS,
      version: VERSION,
      properties: PROPERTIES,
      accessProviders: PROVIDERS,
      credentialProviders: PROVIDERS,
    },
  ),
})
