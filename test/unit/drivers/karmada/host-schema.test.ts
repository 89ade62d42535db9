import { describe, expect, it } from 'vitest'
import { changeFaults } from '../../../../functions/drivers/federation/karmada/v1/model/change-rules.ts'
import {
  DEFAULTS,
  namespaceOf,
  PROPERTIES,
  parseProperties,
} from '../../../../functions/drivers/federation/karmada/v1/model/properties.ts'
import { faultsOf } from '../../../../functions/drivers/federation/karmada/v1/model/property-rules.ts'

type Given = Record<string, string>

describe('faultsOf', () => {
  it.each<[string, Given]>([
    ['none', {}],
    ['defaults', { ...DEFAULTS }],
    ['empty texts', Object.fromEntries(PROPERTIES.map(({ key }) => [key, '']))],
    ['keys that it does not know', { 'dns-zone': 'example.com', anything: 'at all' }],
    [
      'a ClusterIP with an endpoint',
      { 'api-service-type': 'ClusterIP', 'api-endpoint': 'https://fed.example.com:443' },
    ],
    ['an IPv6 endpoint', { 'api-endpoint': 'https://[2001:db8::1]:6443' }],
    ['an endpoint without port', { 'api-endpoint': 'https://fed.example.com/' }],
    ['names and addresses', { 'extra-sans': 'fed.example.com, 10.0.0.1,2001:db8::1,*.fed.example.com' }],
    ['a registry with port and path', { 'image-registry': 'registry.example.com:5000/team/karmada' }],
    ['annotations', { 'api-service-annotations': 'service.beta.kubernetes.io/aws-load-balancer-internal=true,a=b=c' }],
    [
      'tags with a build',
      { 'karmada-image-tag': 'v1.18.7-x1', 'kube-image-tag': 'v1.33.0', 'etcd-image-tag': '3.6.16-0' },
    ],
    ['a node port', { 'api-service-type': 'NodePort', 'api-node-port': '32443' }],
  ])('finds %s good', (_, properties) => {
    expect(faultsOf(properties)).toEqual([])
  })

  it.each<[string, Given]>([
    ['namespace', { namespace: 'Federation' }],
    ['namespace', { namespace: 'default' }],
    ['namespace', { namespace: 'kube-system' }],
    ['namespace', { namespace: 'fedplane-0a1b2c3d4e' }],
    ['namespace', { namespace: 'a'.repeat(64) }],
    ['api-service-type', { 'api-service-type': 'ExternalName' }],
    ['api-service-type', { 'api-service-type': 'ClusterIP' }],
    ['api-endpoint', { 'api-endpoint': 'http://fed.example.com:443' }],
    ['api-endpoint', { 'api-endpoint': 'https://fed.example.com:443/path' }],
    ['api-endpoint', { 'api-endpoint': 'https://me@fed.example.com' }],
    ['api-endpoint', { 'api-endpoint': 'https://fed_1.example.com' }],
    ['api-endpoint', { 'api-endpoint': 'fed.example.com:443' }],
    ['api-port', { 'api-port': '0' }],
    ['api-port', { 'api-port': '65536' }],
    ['api-port', { 'api-port': 'https' }],
    ['api-node-port', { 'api-service-type': 'NodePort', 'api-node-port': '1e3' }],
    ['api-node-port', { 'api-service-type': 'ClusterIP', 'api-endpoint': 'https://a:1', 'api-node-port': '32443' }],
    ['api-load-balancer-class', { 'api-service-type': 'NodePort', 'api-load-balancer-class': 'a/b' }],
    ['api-service-annotations', { 'api-service-annotations': 'only-a-key' }],
    ['api-endpoint', { 'api-endpoint': 'https://fed.example.com:0' }],
    ['api-endpoint', { 'api-endpoint': 'https://fed.example.com:65536' }],
    ['api-endpoint', { 'api-endpoint': 'https://fed.example.com:' }],
    ['api-endpoint', { 'api-endpoint': 'https://0x7f.1:443' }],
    ['api-endpoint', { 'api-endpoint': 'https://127.1:443' }],
    ['api-endpoint', { 'api-endpoint': 'https://2130706433:443' }],
    ['api-endpoint', { 'api-endpoint': 'https://10.0.0.256:443' }],
    ['api-endpoint', { 'api-endpoint': 'https://[fe80::1%eth0]:443' }],
    ['api-endpoint', { 'api-endpoint': 'https://[10.0.0.1]:443' }],
    ['extra-sans', { 'extra-sans': 'fe80::1%eth0' }],
    ['extra-sans', { 'extra-sans': '10.0.0.256' }],
    ['extra-sans', { 'extra-sans': '127.1' }],
    ['extra-sans', { 'extra-sans': '*.10' }],
    ['extra-sans', { 'extra-sans': 'good.example.com,not a name' }],
    ['extra-sans', { 'extra-sans': Array.from({ length: 51 }, (_, index) => `n${index}.example.com`).join(',') }],
    ['storage-class', { 'storage-class': 'Not_A_Name' }],
    ['storage-size', { 'storage-size': '10' }],
    ['storage-size', { 'storage-size': '0Gi' }],
    ['keep-data', { 'keep-data': 'yes' }],
    ['replicas', { replicas: '2' }],
    ['replicas', { replicas: '5' }],
    ['image-registry', { 'image-registry': 'https://registry.example.com' }],
    ['image-pull-secret', { 'image-pull-secret': 'Not A Name' }],
    ['cluster-domain', { 'cluster-domain': 'cluster..local' }],
    ['karmada-image-tag', { 'karmada-image-tag': 'v1.17.4' }],
    ['karmada-image-tag', { 'karmada-image-tag': 'v1.18.1' }],
    ['karmada-image-tag', { 'karmada-image-tag': 'latest' }],
    ['kube-image-tag', { 'kube-image-tag': 'v1.32.9' }],
    ['kube-image-tag', { 'kube-image-tag': '1.35.2' }],
    ['etcd-image-tag', { 'etcd-image-tag': '3.5.21-0' }],
  ])('refuses %s: %j', (key, properties) => {
    const faults = faultsOf(properties)
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^Property ${key}: .*\\.$`))])
  })
})

describe('changeFaults', () => {
  it.each<[string, Given, Given]>([
    ['nothing', {}, {}],
    ['a default that is spelt out', {}, { ...DEFAULTS }],
    ['more replicas', { replicas: '1' }, { replicas: '3' }],
    ['a newer patch', {}, { 'karmada-image-tag': 'v1.18.5' }],
    ['the next minor', { 'kube-image-tag': 'v1.35.2' }, { 'kube-image-tag': 'v1.36.3' }],
    ['an older patch', { 'kube-image-tag': 'v1.35.2' }, { 'kube-image-tag': 'v1.35.0' }],
    ['names', {}, { 'extra-sans': 'fed.example.com' }],
    ['the endpoint', { 'api-endpoint': 'https://a.example.com' }, { 'api-endpoint': 'https://b.example.com' }],
    ['what happens to the data', {}, { 'keep-data': 'true' }],
    ['the registry', {}, { 'image-registry': 'registry.example.com' }],
  ])('allows %s', (_, before, after) => {
    expect(changeFaults(before, after)).toEqual([])
  })

  it.each<[string, Given, Given]>([
    ['namespace', {}, { namespace: 'other' }],
    ['api-service-type', {}, { 'api-service-type': 'NodePort' }],
    ['api-port', {}, { 'api-port': '443' }],
    ['api-node-port', {}, { 'api-node-port': '32443' }],
    ['api-load-balancer-class', {}, { 'api-load-balancer-class': 'a/b' }],
    ['storage-class', {}, { 'storage-class': 'fast' }],
    ['storage-size', { 'storage-size': '20Gi' }, {}],
    ['cluster-domain', {}, { 'cluster-domain': 'example.internal' }],
    ['replicas', { replicas: '3' }, { replicas: '1' }],
    ['kube-image-tag', { 'kube-image-tag': 'v1.35.2' }, { 'kube-image-tag': 'v1.34.2' }],
    ['kube-image-tag', { 'kube-image-tag': 'v1.33.2' }, { 'kube-image-tag': 'v1.35.2' }],
  ])('refuses %s, with what to do', (key, before, after) => {
    expect(changeFaults(before, after)).toEqual([
      expect.stringMatching(new RegExp(`^Property ${key} .*[.] .*[.]$|^Property ${key} .*[.]$`)),
    ])
  })
})

describe('parseProperties', () => {
  it('has a default for everything', () => {
    expect(parseProperties({})).toEqual({
      namespace: 'federation-system',
      apiServiceType: 'LoadBalancer',
      apiServiceAnnotations: {},
      apiLoadBalancerClass: null,
      apiEndpoint: null,
      apiPort: 5443,
      apiNodePort: null,
      extraSans: [],
      storageClass: null,
      storageSize: '10Gi',
      keepData: false,
      memberClusterRole: null,
      replicas: 1,
      imageRegistry: null,
      imagePullSecret: null,
      karmadaImageTag: 'v1.18.2',
      kubeImageTag: 'v1.35.2',
      etcdImageTag: '3.6.6-0',
      clusterDomain: 'cluster.local',
    })
  })

  it.each([
    ['1024Mi', '1Gi'],
    ['2048Gi', '2Ti'],
    ['1000M', '1G'],
    ['1500Mi', '1500Mi'],
    ['1048576Mi', '1Ti'],
  ])('writes the size %s as an API server does: %s', (given, canonical) => {
    expect(parseProperties({ 'storage-size': given }).storageSize).toBe(canonical)
  })

  it('reads annotations, whose values may hold an equals sign', () => {
    expect(parseProperties({ 'api-service-annotations': 'a/b=c=d, e=' }).apiServiceAnnotations).toEqual({
      'a/b': 'c=d',
      e: '',
    })
  })

  it('says which namespace of the host it needs', () => {
    expect(namespaceOf({ properties: { namespace: ' europe ' } })).toBe('europe')
  })
})
