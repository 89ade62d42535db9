import type { Manifest, PartOf } from '../../../../../kubernetes/manifest.ts'
import { MANAGED_BY, MANAGED_BY_LABEL } from '../../../../support/owned.ts'
import { PROFILE_CRD, PROFILE_GROUP, PROFILE_KIND } from '../names.ts'
import { CONDITIONS, EXTENSION, IMMUTABLE, PROPERTIES, profileSchema, type Rules, VERSION } from './common.ts'

const managerName = ({ cel }: Rules): PartOf['jsonSchema'] => ({
  type: 'string',
  minLength: 1,
  maxLength: 63,
  ...(cel
    ? {
        'x-kubernetes-validations': [
          { rule: '!format.labelValue().validate(self).hasValue()', message: 'must be a valid label value' },
        ],
      }
    : { pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)$' }),
})

const SERVER_RULE = "isURL(self) && url(self).getHost() != ''"
const PROXY_RULE =
  "self == '' || (isURL(self) && url(self).getScheme() in ['http', 'https', 'socks5'] && url(self).getHost() != '')"

const url = (rules: Rules, rule: string, pattern: string): PartOf['jsonSchema'] => ({
  type: 'string',
  maxLength: 2048,
  ...(rules.cel
    ? { 'x-kubernetes-validations': [{ rule, message: 'must be a URL with a scheme and a host' }] }
    : { pattern }),
})

const cluster = (rules: Rules): PartOf['jsonSchema'] => ({
  type: 'object',
  required: ['server'],
  properties: {
    server: url(rules, SERVER_RULE, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]+'),
    'tls-server-name': { type: 'string', maxLength: 253 },
    'insecure-skip-tls-verify': { type: 'boolean' },
    'certificate-authority-data': { type: 'string', format: 'byte' },
    'proxy-url': url(rules, PROXY_RULE, '^((https?|socks5)://[^/?#]+.*)?$'),
    'disable-compression': { type: 'boolean' },
    extensions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name', 'extension'],
        properties: { name: { type: 'string', minLength: 1, maxLength: 253 }, extension: EXTENSION },
      },
    },
  },
})

const providers = (rules: Rules): PartOf['jsonSchema'] => ({
  type: 'array',
  maxItems: 64,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name', 'cluster'],
    properties: { name: { type: 'string', minLength: 1, maxLength: 253 }, cluster: cluster(rules) },
  },
})

const COLUMNS: NonNullable<PartOf['crdVersion']['additionalPrinterColumns']> = [
  { name: 'Display Name', type: 'string', jsonPath: '.spec.displayName' },
  { name: 'Manager', type: 'string', jsonPath: '.spec.clusterManager.name' },
  { name: 'Version', type: 'string', jsonPath: '.status.version.kubernetes' },
  { name: 'Healthy', type: 'string', jsonPath: '.status.conditions[?(@.type=="ControlPlaneHealthy")].status' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
]

/** The stricter version of cluster-inventory-api v0.2.0, which the conformance suite reads. */
const v1alpha2 = (rules: Rules): PartOf['crdVersion'] => ({
  name: 'v1alpha2',
  served: true,
  storage: false,
  subresources: { status: {} },
  additionalPrinterColumns: COLUMNS,
  schema: profileSchema(
    {
      displayName: { type: 'string' },
      clusterManager: {
        type: 'object',
        required: ['name'],
        properties: { name: managerName(rules) },
        'x-kubernetes-validations': [IMMUTABLE],
      },
    },
    { conditions: CONDITIONS, version: VERSION, properties: PROPERTIES, accessProviders: providers(rules) },
  ),
})

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
const v1alpha1 = (): PartOf['crdVersion'] => ({
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

/** Which edition of our manifest an installed one is; raise it with every change, so that it is applied to hosts that have an older one. */
export const CRD_EDITION_ANNOTATION = 'fedplane.io/crd-edition'
export const CRD_EDITION = 1

/**
 * The ClusterProfile CustomResourceDefinition of cluster-inventory-api v0.2.0, re-created from reference/clusterprofile.md section 2.
 * It belongs to no federation: others' profiles may use it, so it has no federation label and is never deleted.
 */
export const crdManifest = (rules: Rules): Manifest<'CustomResourceDefinition'> => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: PROFILE_CRD,
    labels: { [MANAGED_BY_LABEL]: MANAGED_BY },
    annotations: { [CRD_EDITION_ANNOTATION]: String(CRD_EDITION) },
  },
  spec: {
    group: PROFILE_GROUP,
    scope: 'Namespaced',
    names: {
      kind: PROFILE_KIND,
      listKind: `${PROFILE_KIND}List`,
      plural: 'clusterprofiles',
      singular: 'clusterprofile',
      categories: ['multicluster'],
    },
    conversion: { strategy: 'None' },
    versions: [v1alpha1(), v1alpha2(rules)],
  },
})
