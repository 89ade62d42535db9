import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  aggregatedApiServerManifest,
  apiServerManifest,
} from '../../../../functions/drivers/federation/karmada/v1/host/api-servers.ts'
import { controllerManifests } from '../../../../functions/drivers/federation/karmada/v1/host/controllers.ts'
import { claimManifests, etcdManifest } from '../../../../functions/drivers/federation/karmada/v1/host/etcd.ts'
import { type HostPlan, planOf } from '../../../../functions/drivers/federation/karmada/v1/host/plan.ts'
import { budgetManifests, CHECKSUM_ANNOTATION } from '../../../../functions/drivers/federation/karmada/v1/host/pod.ts'
import { SECRET_NAMES, secretManifests } from '../../../../functions/drivers/federation/karmada/v1/host/secrets.ts'
import { serviceManifests } from '../../../../functions/drivers/federation/karmada/v1/host/services.ts'
import { COMPONENTS } from '../../../../functions/drivers/federation/karmada/v1/model/names.ts'
import { issuePki } from '../../../../functions/drivers/federation/karmada/v1/pki/issue-pki.ts'
import type { Pki } from '../../../../functions/drivers/federation/karmada/v1/pki/pki.schema.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { type PodTemplate, templateOf } from '../../../support/karmada/pod-template.ts'

const ID = '0193a1c2-0000-7000-8000-0123456789ab'
const NOW = new Date('2026-11-27T10:00:00Z')

const plan = (properties: Record<string, string> = {}, driverState = {}): HostPlan =>
  planOf({ id: ID, properties, driverState })

const issuing = {
  naming: {
    namespace: 'federation-system',
    clusterDomain: 'cluster.local',
    extraSans: [],
    endpoint: 'https://192.0.2.1:5443',
    hosts: [],
  },
  leafLifetimeSeconds: 86_400,
  now: NOW,
}

let pki: Pki
beforeAll(async () => {
  pki = await issuePki(undefined, issuing)
})

const workloads = (of = plan(), by = pki): KubernetesObject[] => [
  etcdManifest(of, by, { members: of.properties.replicas, state: 'new', partition: 0 }),
  apiServerManifest(of, by),
  aggregatedApiServerManifest(of, by),
  ...controllerManifests(of, by),
]

const templates = (of = plan(), by = pki): Map<string, PodTemplate> =>
  new Map(workloads(of, by).map((object) => [object.metadata.name, templateOf(object)]))

const container = (of: HostPlan, name: string) => {
  const found = templates(of).get(name)?.spec.containers[0]
  if (found === undefined) throw new Error(`no container in ${name}`)
  return found
}

describe('every object in the host', () => {
  it('carries the label of the federation and is in its namespace', () => {
    const of = plan({ namespace: 'europe', replicas: '3' })
    const objects = [
      ...serviceManifests(of),
      ...secretManifests(of, pki),
      ...claimManifests(of),
      ...workloads(of),
      ...budgetManifests(of, COMPONENTS),
    ]
    for (const { metadata } of objects) {
      expect(metadata).toMatchObject({ namespace: 'europe', labels: { 'fedplane.io/federation': ID } })
    }
  })
})

describe('Secrets of the control plane in etcd', () => {
  const KEY_SECRET = 'karmada-apiserver-encryption'
  const encrypting = (stage: 'reading' | 'writing' | 'complete'): Pki => ({
    ...pki,
    encryption: { key: Buffer.alloc(32, 7).toString('base64'), stage },
  })
  const configOf = (of: Pki) => {
    const secret = secretManifests(plan(), of).find(({ metadata }) => metadata.name === KEY_SECRET)
    return parse(
      Buffer.from((secret?.data as Record<string, string> | undefined)?.['encryption.yaml'] ?? '', 'base64').toString(),
    )
  }
  const secretbox = {
    secretbox: { keys: [{ name: 'fedplane-1', secret: Buffer.alloc(32, 7).toString('base64') }] },
  }

  it.each([
    ['reading', [{ identity: {} }, secretbox]],
    ['writing', [secretbox, { identity: {} }]],
    ['complete', [secretbox, { identity: {} }]],
  ] as const)('are read and written as the stage %s says', (stage, providers) => {
    expect(configOf(encrypting(stage))).toEqual({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['secrets'], providers }],
    })
  })

  it('are encrypted by the API server alone, which is replaced when that changes', () => {
    const found = [...templates(plan(), encrypting('reading'))].filter(([, template]) =>
      JSON.stringify(template).includes(KEY_SECRET),
    )
    expect(found.map(([name]) => name)).toEqual(['karmada-apiserver'])
    const { command, volumeMounts } = found[0]![1].spec.containers[0]!
    expect(command).toContain(`--encryption-provider-config=/etc/karmada/pki/${KEY_SECRET}/encryption.yaml`)
    expect(volumeMounts).toContainEqual({
      name: KEY_SECRET,
      mountPath: `/etc/karmada/pki/${KEY_SECRET}`,
      readOnly: true,
    })
    const checksums = (['reading', 'writing', 'complete'] as const).map(
      (stage) =>
        templates(plan(), encrypting(stage)).get('karmada-apiserver')?.metadata.annotations?.[CHECKSUM_ANNOTATION],
    )
    expect(checksums[0]).not.toBe(checksums[1])
    expect(checksums[1]).toBe(checksums[2])
  })

  it('stay as they are in a control plane of before, until it has a key', () => {
    expect(secretManifests(plan(), pki).map(({ metadata }) => metadata.name)).not.toContain(KEY_SECRET)
    expect(container(plan(), 'karmada-apiserver').command?.join(' ')).not.toContain('encryption')
  })
})

describe('Secrets', () => {
  const texts = (secret: KubernetesObject): string[] =>
    Object.values(secret.data as Record<string, string>).map((value) => Buffer.from(value, 'base64').toString())

  it('hold no key of an authority, and neither does anything else in the host', () => {
    const keys = Object.values(pki.authorities).flatMap(({ key }) => [key, Buffer.from(key).toString('base64')])
    const everything = [...secretManifests(plan(), pki), ...workloads()].map((object) => JSON.stringify(object))
    const contents = secretManifests(plan(), pki).flatMap(texts)
    for (const key of keys) {
      expect([...everything, ...contents].filter((text) => text.includes(key.trim()))).toEqual([])
    }
  })

  it('hold no administrator, who is fedplane itself', () => {
    const contents = secretManifests(plan(), pki).flatMap(texts)
    const admin = Buffer.from(pki.leaves.admin.key).toString('base64')
    expect(contents.filter((text) => text.includes(pki.leaves.admin.key) || text.includes(admin))).toEqual([])
  })

  it('are those that are looked for before', () => {
    const encryption = { key: '', stage: 'complete' } as const
    const names = secretManifests(plan(), { ...pki, encryption }).map(({ metadata }) => metadata.name)
    expect(names.toSorted()).toEqual([...SECRET_NAMES].toSorted())
  })

  it.each(COMPONENTS)('give %s a kubeconfig with its own identity and the name of the Service', (component) => {
    const of = plan({ namespace: 'europe', 'cluster-domain': 'example.internal', 'api-port': '443' })
    const secret = secretManifests(of, pki).find(({ metadata }) => metadata.name === `${component}-config`)
    const data = secret?.data as Record<string, string>
    const config = JSON.parse(Buffer.from(data['karmada.config'] ?? '', 'base64').toString())
    expect(config.clusters[0].cluster.server).toBe('https://karmada-apiserver.europe.svc.example.internal:443')
    expect(config.users[0].user['client-key-data']).toBe(Buffer.from(pki.leaves[component].key).toString('base64'))
    expect(config['current-context']).toBe(config.contexts[0].name)
  })
})

describe('pods', () => {
  it('meet PodSecurity restricted', () => {
    for (const { spec } of templates().values()) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      expect(spec.securityContext.runAsUser).toBeGreaterThan(0)
      for (const { securityContext } of spec.containers) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
      }
      for (const volume of spec.volumes) expect(volume).not.toHaveProperty('hostPath')
      expect(spec.priorityClassName).toBeUndefined()
    }
  })

  it('have a capability only where a file capability needs it', () => {
    const added = [...templates().entries()].flatMap(([name, { spec }]) =>
      spec.containers.flatMap(({ securityContext }) =>
        (securityContext.capabilities.add ?? []).map((add) => [name, add]),
      ),
    )
    expect(added).toEqual([['karmada-apiserver', 'NET_BIND_SERVICE']])
  })

  it('request what they need, say when they are ready, and why they ended', () => {
    for (const [name, { spec }] of templates()) {
      expect(spec.automountServiceAccountToken).toBe(false)
      for (const found of spec.containers) {
        expect(found, name).toMatchObject({
          resources: { requests: { cpu: expect.any(String), memory: expect.any(String) } },
          readinessProbe: { periodSeconds: 1 },
          livenessProbe: { httpGet: expect.anything() },
          terminationMessagePolicy: 'FallbackToLogsOnError',
        })
      }
    }
  })

  it('mount only Secrets that are made', () => {
    for (const { spec } of templates().values()) {
      const mounted = spec.volumes.flatMap(({ secret }) => (secret === undefined ? [] : [secret.secretName]))
      expect(SECRET_NAMES).toEqual(expect.arrayContaining(mounted))
    }
  })

  it('find every file of their flags in a mount', () => {
    for (const { spec } of templates().values()) {
      for (const { command, volumeMounts } of spec.containers) {
        const files = command.flatMap((argument) => /=(\/etc\/karmada\/[^,]+)/.exec(argument)?.slice(1) ?? [])
        const roots = volumeMounts.map(({ mountPath }) => mountPath)
        expect(files.filter((file) => !roots.some((root) => file.startsWith(`${root}/`) || file === root))).toEqual([])
      }
    }
  })

  it('are replaced when a Secret that they mount changes, and only then', async () => {
    const naming = { ...issuing.naming, endpoint: 'https://192.0.2.2:5443' }
    const other = await issuePki(pki, { ...issuing, naming })
    const [before, after] = [templates(), templates(plan(), other)]
    const replaced = [...before.keys()].filter(
      (name) =>
        before.get(name)?.metadata.annotations[CHECKSUM_ANNOTATION] !==
        after.get(name)?.metadata.annotations[CHECKSUM_ANNOTATION],
    )
    expect(replaced).toEqual(['karmada-apiserver'])
  })

  it('take images from where they are wished', () => {
    const images = (of: HostPlan) =>
      [...templates(of).values()].flatMap(({ spec }) => spec.containers.map(({ image }) => image))
    expect(images(plan()).toSorted()).toEqual([
      'docker.io/karmada/karmada-aggregated-apiserver:v1.18.2',
      'docker.io/karmada/karmada-controller-manager:v1.18.2',
      'docker.io/karmada/karmada-scheduler:v1.18.2',
      'docker.io/karmada/karmada-webhook:v1.18.2',
      'registry.k8s.io/etcd:3.6.6-0',
      'registry.k8s.io/kube-apiserver:v1.35.2',
      'registry.k8s.io/kube-controller-manager:v1.35.2',
    ])
    const own = plan({ 'image-registry': 'registry.example.com/k/', 'image-pull-secret': 'pull' })
    expect(images(own).every((image) => /^registry\.example\.com\/k\/[a-z-]+:/.test(image))).toBe(true)
    for (const { spec } of templates(own).values()) expect(spec.imagePullSecrets).toEqual([{ name: 'pull' }])
  })
})

describe('etcd', () => {
  it('has one member with a claim, or three that find each other before they are ready', () => {
    const [one, three] = [plan(), plan({ replicas: '3', 'storage-class': 'fast', 'storage-size': '20Gi' })]
    expect(claimManifests(one).map(({ metadata }) => metadata.name)).toEqual(['etcd-data-etcd-0'])
    expect(claimManifests(three)).toHaveLength(3)
    expect(claimManifests(three)[2]?.spec).toMatchObject({
      storageClassName: 'fast',
      resources: { requests: { storage: '20Gi' } },
    })
    expect(workloads(three)[0]?.spec).toMatchObject({ replicas: 3, podManagementPolicy: 'Parallel' })
    const headless = serviceManifests(three).find(({ metadata }) => metadata.name === 'etcd')
    expect(headless?.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true })
  })

  it('speaks TLS with its clients and among its members, and both have to show a certificate', () => {
    const { command } = container(plan({ replicas: '3' }), 'etcd')
    expect(command).toEqual(expect.arrayContaining(['--client-cert-auth=true', '--peer-client-cert-auth=true']))
    const plain = command.filter((argument) => argument.includes('http://'))
    expect(plain).toEqual(['--listen-metrics-urls=http://0.0.0.0:2381'])
    expect(command).toContain(
      `--initial-cluster=${[0, 1, 2].map((index) => `etcd-${index}=https://etcd-${index}.etcd.federation-system.svc.cluster.local:2380`).join(',')}`,
    )
  })

  it('is known to both API servers by all of its members', () => {
    for (const name of ['karmada-apiserver', 'karmada-aggregated-apiserver']) {
      const { command } = container(plan({ replicas: '3' }), name)
      expect(command.find((argument) => argument.startsWith('--etcd-servers='))?.split(',')).toHaveLength(3)
    }
  })
})

describe('components', () => {
  it('sign nothing in the host: fedplane does', () => {
    const { command } = container(plan(), 'kube-controller-manager')
    expect(command.filter((argument) => argument.includes('signing'))).toEqual([])
    const controllers = command.find((argument) => argument.startsWith('--controllers='))
    for (const absent of ['csrsigning', 'csrcleaner', 'bootstrapsigner', 'tokencleaner', '*']) {
      expect(controllers).not.toContain(absent)
    }
  })

  it('elect a leader, in the namespace of the control plane that exists', () => {
    for (const name of ['kube-controller-manager', 'karmada-scheduler', 'karmada-controller-manager']) {
      expect(container(plan(), name).command).toEqual(
        expect.arrayContaining(['--leader-elect=true', '--leader-elect-resource-namespace=karmada-system']),
      )
    }
  })

  it('get Services in the family of the host', () => {
    const range = (state: object) =>
      container(plan({}, { ...state }), 'karmada-apiserver').command.find((argument) =>
        argument.includes('service-cluster-ip-range'),
      )
    expect(range({})).toBe('--service-cluster-ip-range=10.96.0.0/12')
    expect(range({ isIpv6: true })).toBe('--service-cluster-ip-range=fd00:10:96::/112')
  })

  it('listen on all addresses of the family of the host', () => {
    const listening = (state: object): string[] =>
      [...templates(plan({ replicas: '3' }, { ...state })).values()]
        .flatMap(({ spec }) => spec.containers.flatMap(({ command }) => command))
        .filter((argument) => /^--(bind-address|listen-.*-urls)=/.test(argument))
        .toSorted()
    const four = [
      ...Array.from({ length: 4 }, () => '--bind-address=0.0.0.0'),
      '--listen-client-urls=https://0.0.0.0:2379',
      '--listen-metrics-urls=http://0.0.0.0:2381',
      '--listen-peer-urls=https://0.0.0.0:2380',
    ]
    expect(listening({})).toEqual(four)
    const six = four.map((it) => it.replace('//0.0.0.0', '//[::]').replace('0.0.0.0', '::'))
    expect(listening({ isIpv6: true })).toEqual(six)
  })

  it('find each other by names, in whatever family', () => {
    const six = JSON.stringify(workloads(plan({ replicas: '3' }, { isIpv6: true, endpoint: 'https://[fd00::1]:5443' })))
    expect(six).not.toContain('fd00::1')
    expect(six).not.toContain('0.0.0.0')
  })

  it('are three, spread, with a budget each, when three are wished', () => {
    const of = plan({ replicas: '3' })
    for (const object of workloads(of)) expect(object.spec).toMatchObject({ replicas: 3 })
    for (const [component, { metadata, spec }] of templates(of)) {
      // Preferred only, so that one node is enough; away from pods of the same component of the same federation.
      const term = (topologyKey: string, weight: number) => ({
        weight,
        podAffinityTerm: { topologyKey, labelSelector: { matchLabels: metadata.labels } },
      })
      expect(metadata.labels).toMatchObject({ app: component, 'fedplane.io/federation': ID })
      expect(spec.affinity).toEqual({
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            term('kubernetes.io/hostname', 100),
            term('topology.kubernetes.io/zone', 50),
          ],
        },
      })
      expect(spec).not.toHaveProperty('topologySpreadConstraints')
      expect(spec).not.toHaveProperty('nodeSelector')
    }
    for (const object of workloads(of)) {
      const { strategy } = object.spec as { strategy?: { rollingUpdate: object } }
      // No room for a fourth is needed, on one node neither.
      if (object.kind === 'Deployment') expect(strategy?.rollingUpdate).toEqual({ maxSurge: 0, maxUnavailable: 1 })
    }
    expect(budgetManifests(of, ['etcd', 'karmada-apiserver'])).toHaveLength(2)
    expect(budgetManifests(plan(), ['etcd'])).toEqual([])
  })
})

describe('the API Service', () => {
  const api = (properties: Record<string, string>) =>
    serviceManifests(plan(properties)).find(({ metadata }) => metadata.name === 'karmada-apiserver')

  it('is a load balancer at the usual port', () => {
    expect(api({})?.spec).toMatchObject({ type: 'LoadBalancer', ports: [{ port: 5443, targetPort: 5443 }] })
  })

  it('has what is wished', () => {
    const object = api({
      'api-load-balancer-class': 'example.com/internal',
      'api-service-annotations': 'example.com/scheme=internal',
      'api-port': '443',
      'api-node-port': '32443',
    })
    expect(object?.spec).toMatchObject({
      loadBalancerClass: 'example.com/internal',
      ports: [{ port: 443, nodePort: 32443 }],
    })
    expect(object?.metadata.annotations).toMatchObject({ 'example.com/scheme': 'internal' })
  })

  it('differs from before when an annotation is taken away', () => {
    const given = api({ 'api-service-annotations': 'example.com/scheme=internal' })?.metadata.annotations
    expect(given).not.toEqual({ ...given, ...api({})?.metadata.annotations })
  })
})
