import { describe, expect, it } from 'vitest'
import { INFRASTRUCTURES } from '../../../../functions/drivers/cluster/capi/v1/model/infrastructure.ts'
import {
  addonMissing,
  addonObjects,
  desiredAddons,
} from '../../../../functions/drivers/cluster/capi/v1/render/addons.ts'
import {
  CONTENT_HASH,
  className,
  managementObjects,
} from '../../../../functions/drivers/cluster/capi/v1/render/class-objects.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import {
  ALL_LABELS,
  CREDENTIAL,
  exampleObjects,
  fullSample,
  type Sample,
  sampleGroups,
  samplePlan,
} from '../../../support/capi/samples.ts'

const textOf = (object: KubernetesObject | undefined, key: string): string =>
  Buffer.from((object?.data as Record<string, string> | undefined)?.[key] ?? '', 'base64').toString()

const NETWORK_ID = '5f3c9a50-2f7d-4a55-9d3b-0a4b6a1f7e09'

const byName = (objects: readonly KubernetesObject[], name: string) =>
  objects.find(({ metadata }) => metadata.name === name)

describe.each(INFRASTRUCTURES)('the class of %s', (infrastructure) => {
  const objects = managementObjects(infrastructure, 'fedplane-a')
  const named = objects.map(({ object }) => object)

  it('has a name of driver, infrastructure and content, and comes last', () => {
    expect(className(infrastructure)).toMatch(new RegExp(`^fedplane-capi1-${infrastructure}-[0-9a-f]{10}$`))
    expect(named.at(-1)).toMatchObject({ kind: 'ClusterClass', metadata: { name: className(infrastructure) } })
  })

  it('is the same in every namespace, with a hash of each content', () => {
    const other = managementObjects(infrastructure, 'fedplane-b').map(({ object }) => object)
    const hashes = named.map(({ metadata }) => metadata.annotations?.[CONTENT_HASH])
    expect(hashes).toStrictEqual(other.map(({ metadata }) => metadata.annotations?.[CONTENT_HASH]))
    expect(new Set(hashes).size).toBe(named.length)
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })

  it('refers only to templates that come with it', () => {
    const refs = [...JSON.stringify(named.at(-1)).matchAll(/"templateRef":(\{[^}]*\})/g)].map(([, ref]) =>
      JSON.parse(ref ?? ''),
    )
    expect(refs).toHaveLength(5)
    for (const { kind, name, apiVersion } of refs) {
      expect(
        named.filter(
          (object) => object.kind === kind && object.metadata.name === name && object.apiVersion === apiVersion,
        ),
      ).toHaveLength(1)
    }
  })

  it('has a patch for each variable, and one template that it applies to', () => {
    const spec = named.at(-1)?.spec as {
      variables: { name: string }[]
      patches: { name: string; definitions: { selector: { kind: string; apiVersion: string } }[] }[]
    }
    expect(spec.patches.map(({ name }) => name)).toStrictEqual(spec.variables.map(({ name }) => name))
    for (const { selector } of spec.patches.flatMap(({ definitions }) => definitions)) {
      expect(named.some((object) => object.kind === selector.kind && object.apiVersion === selector.apiVersion)).toBe(
        true,
      )
    }
  })

  it('lets no machine hang when it goes', () =>
    expect(
      JSON.stringify(named.at(-1)).match(/"nodeDrainTimeoutSeconds":600,"nodeVolumeDetachTimeoutSeconds":300/g),
    ).toHaveLength(2))

  it('says where each object is written', () => {
    for (const { resource, object } of objects) {
      expect(`${resource.group}/${resource.version}`).toBe(object.apiVersion)
      expect(resource.plural).toBe(`${object.kind.toLowerCase()}${object.kind.endsWith('s') ? 'es' : 's'}`)
      expect(resource.namespace).toBe(object.metadata.namespace)
    }
  })
})

describe('Secrets', () => {
  const objects = exampleObjects('openstack')

  it.each([
    ['ca', 'kubernetes'],
    ['etcd', 'etcd'],
    ['proxy', 'front-proxy'],
  ])('-%s hold the authority for %s, and Cluster API sees them', (suffix, authority) => {
    const secret = byName(objects, `paris-encwpcnl-${suffix}`)
    expect(secret).toMatchObject({
      type: 'cluster.x-k8s.io/secret',
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'paris-encwpcnl' } },
    })
    expect([textOf(secret, 'tls.crt'), textOf(secret, 'tls.key')]).toStrictEqual([
      `certificate of ${authority}`,
      `key of ${authority}`,
    ])
  })

  it('are not made for service accounts', () => expect(byName(objects, 'paris-encwpcnl-sa')).toBeUndefined())

  it('hold clouds.yaml with the application credential, and the authority of the cloud', () => {
    const secret = byName(objects, 'paris-encwpcnl-cloud-config')
    expect(JSON.parse(textOf(secret, 'clouds.yaml'))).toStrictEqual({
      clouds: {
        default: {
          auth_type: 'v3applicationcredential',
          identity_api_version: 3,
          region_name: 'RegionOne',
          auth: {
            auth_url: 'https://keystone.example.org/v3',
            application_credential_id: 'credential-id',
            application_credential_secret: 'credential-"secret"',
          },
        },
      },
    })
    expect(textOf(secret, 'cacert')).toBe(CREDENTIAL.caPem)
  })

  it('are the only objects with the credential in them', () => {
    const holders = objects.filter((object) => {
      const data = Object.values((object.data ?? {}) as Record<string, string>)
      const texts = [
        JSON.stringify({ ...object, data: null }),
        ...data.map((text) => Buffer.from(text, 'base64').toString()),
      ]
      return texts.some((text) => text.includes('credential-'))
    })
    expect(holders.map(({ kind }) => kind)).toStrictEqual(['Secret', 'Secret'])
  })
})

describe('addons', () => {
  const OPTIONS = { addons_namespace: 'addons' }
  const wishesOf = (sample: Sample) => desiredAddons(samplePlan('openstack', sample), OPTIONS)

  it('are what the network driver and the cloud need', () =>
    expect(wishesOf({}).map(({ secret, isRequired }) => [secret, isRequired])).toStrictEqual([
      ['calico', true],
      ['cloud-provider-openstack', true],
      ['cinder-csi', false],
    ]))

  it('are what labels ask for, of the release that they name', () =>
    expect(
      wishesOf({ templateLabels: ALL_LABELS }).map(({ secret, isRequired }) => [secret, isRequired]),
    ).toStrictEqual([
      ['calico-v3.30.2', true],
      ['cloud-provider-openstack', true],
      ['cinder-csi-v1.34.0', true],
      ['manila-csi', true],
      ['keystone-auth', true],
    ]))

  it('are none where the operator keeps none, or nodes run nothing', () => {
    expect(desiredAddons(samplePlan('openstack'), {})).toStrictEqual([])
    expect(desiredAddons(samplePlan('dev'), OPTIONS)).toStrictEqual([])
  })

  it('that are missing are reported', () => {
    const [desired] = wishesOf({ spec: { networkDriver: 'cilium' } })
    expect(desired && addonMissing(desired, 'addons', 'mgmt')).toBe(
      'Management cluster mgmt has no Secret cilium in namespace addons, which would bring the addon cilium: network_driver is cilium. ' +
        'Ask its operator for it, or choose another one.',
    )
  })

  it('are copies that ClusterResourceSets apply, with the cloud for what runs in the cluster', () => {
    const objects = exampleObjects('openstack')
    const set = byName(objects, 'paris-encwpcnl-addons')
    expect(set?.spec).toStrictEqual({
      clusterSelector: { matchLabels: { 'fedplane.io/cluster': samplePlan('openstack').cluster.id } },
      resources: [
        'cloud-config',
        'calico',
        'cloud-provider-openstack',
        'cinder-csi',
        'manila-csi',
        'keystone-auth',
      ].map((addon) => ({ kind: 'Secret', name: `paris-encwpcnl-addon-${addon}` })),
      strategy: 'Reconcile',
    })
    const applied = objects.filter(({ type }) => type === 'addons.cluster.x-k8s.io/resource-set')
    expect(applied).toHaveLength(7)
    const manifest = JSON.parse(textOf(byName(objects, 'paris-encwpcnl-addon-cloud-config'), 'cloud-config.json'))
    expect(manifest.stringData['cloud.conf']).toBe(
      [
        '[Global]',
        'auth-url="https://keystone.example.org/v3"',
        'region="RegionOne"',
        'application-credential-id="credential-id"',
        'application-credential-secret="credential-\\"secret\\""',
        'ca-file="/etc/config/ca.crt"',
        '',
        '[Networking]',
        'internal-network-name="k8s-clusterapi-cluster-fedplane-local-paris-encwpcnl"',
        '',
        '[LoadBalancer]',
        'lb-provider="amphora"',
        'lb-method="SOURCE_IP_PORT"',
        'create-monitor=false',
        '',
      ].join('\n'),
    )
  })

  it.each<[string, Sample, string | undefined]>([
    ['no other network', {}, undefined],
    ['a given network, by name', { magnum: { fixedNetwork: 'net' } }, 'internal-network-name="net"'],
    ['one by id, whose name nobody knows', { magnum: { fixedNetwork: NETWORK_ID } }, undefined],
  ])('tell the cloud which network nodes reach each other in: %s', (_, sample, line) => {
    const labels = { kube_tag: 'v1.35.2', ...(sample.magnum ? { extra_network_names: 'storage' } : {}) }
    const groups = sampleGroups({ labels })
    const [secret] = addonObjects(samplePlan('openstack', { ...sample, nodeGroups: groups }), [], CREDENTIAL)
    const conf = JSON.parse(textOf(secret, 'cloud-config.json')).stringData['cloud.conf'] as string
    expect(conf.split('\n').find((text) => text.startsWith('internal-network-name'))).toBe(line)
  })

  it('know the cluster by a name that no other one of the project has', () => {
    const [secret] = addonObjects(samplePlan('openstack'), [], CREDENTIAL)
    const { stringData } = JSON.parse(textOf(secret, 'cloud-config.json'))
    expect(Object.keys(stringData)).toStrictEqual(['cloud.conf', 'cluster-name', 'ca.crt'])
    expect(stringData['cluster-name']).toBe('paris-encwpcnl')
  })

  it('name the external network to the cloud only by its id', () => {
    const externalNetworkId = '5f3c9a50-2f7d-4a55-9d3b-0a4b6a1f7e09'
    const [secret] = addonObjects(samplePlan('openstack', { spec: { externalNetworkId } }), [], CREDENTIAL)
    const manifest = JSON.parse(textOf(secret, 'cloud-config.json'))
    expect(manifest.stringData['cloud.conf']).toContain(`floating-network-id="${externalNetworkId}"`)
  })

  it('bring a StorageClass once, unless Cinder is not wanted', () => {
    const objects = exampleObjects('openstack')
    expect(byName(objects, 'paris-encwpcnl-storage')?.spec).toMatchObject({ strategy: 'ApplyOnce' })
    expect(JSON.parse(textOf(byName(objects, 'paris-encwpcnl-addon-storage'), 'storage-class.json'))).toMatchObject({
      kind: 'StorageClass',
      parameters: { 'csi.storage.k8s.io/fstype': 'ext4', availability: 'nova' },
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowVolumeExpansion: true,
    })
    const without = addonObjects(
      samplePlan('openstack', { templateLabels: { kube_tag: 'v1.35.2', cinder_csi_enabled: 'no' } }),
      [],
      CREDENTIAL,
    )
    expect(without.map(({ metadata: { name } }) => name)).toStrictEqual([
      'paris-encwpcnl-addon-cloud-config',
      'paris-encwpcnl-addons',
    ])
  })

  it('need all that a full cluster asks for', () =>
    expect(desiredAddons(samplePlan('openstack', fullSample()), OPTIONS).every(({ isRequired }) => isRequired)).toBe(
      true,
    ))
})
