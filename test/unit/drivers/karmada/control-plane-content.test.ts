import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  keepWorkloads,
  webhookConfigurations,
} from '../../../../functions/drivers/federation/karmada/v1/control-plane/admission.ts'
import {
  applyAll,
  differences,
  inParallel,
} from '../../../../functions/drivers/federation/karmada/v1/control-plane/apply-all.ts'
import {
  aggregation,
  crdManifests,
  systemNamespaces,
} from '../../../../functions/drivers/federation/karmada/v1/control-plane/content.ts'
import { FEDERATION_ADMINS, rbac } from '../../../../functions/drivers/federation/karmada/v1/control-plane/rbac.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../functions/kubernetes/client.ts'
import { PermissionDenied } from '../../../../functions/kubernetes/errors.ts'

const SITE = { namespace: 'fed', clusterDomain: 'cluster.local', caPem: 'the CA' }
const CA = Buffer.from('the CA').toString('base64')

type Hook = {
  name: string
  rules: { operations: string[]; apiGroups: string[]; resources: string[]; scope: string; apiVersions: string[] }[]
  clientConfig: { url: string; caBundle: string }
  timeoutSeconds: number
  sideEffects: string
  failurePolicy: string
}

const rowOf = ({ name, rules, clientConfig, timeoutSeconds, sideEffects }: Hook): unknown[] => [
  name.replace('.karmada.io', ''),
  rules[0]?.operations.join(','),
  `${rules[0]?.apiGroups}/${rules[0]?.resources}`.replace('.karmada.io', ''),
  rules[0]?.scope,
  clientConfig.url.replace('https://karmada-webhook.fed.svc:443/', ''),
  ...(timeoutSeconds === 3 ? [] : [timeoutSeconds]),
  ...(sideEffects === 'None' ? [] : [sideEffects]),
]

const hooksOf = (object: KubernetesObject | undefined): Hook[] => object?.webhooks as Hook[]

const CU = 'CREATE,UPDATE'

/** From `artifacts/deploy/webhook-configuration.yaml` of Karmada 1.18.2. */
const MUTATING = [
  ['propagationpolicy', CU, 'policy/propagationpolicies', 'Namespaced', 'mutate-propagationpolicy'],
  ['clusterpropagationpolicy', CU, 'policy/clusterpropagationpolicies', 'Cluster', 'mutate-clusterpropagationpolicy'],
  ['overridepolicy', CU, 'policy/overridepolicies', 'Namespaced', 'mutate-overridepolicy'],
  ['resourcebinding', 'CREATE', 'work/resourcebindings', 'Namespaced', 'mutate-resourcebinding'],
  ['clusterresourcebinding', 'CREATE', 'work/clusterresourcebindings', 'Cluster', 'mutate-clusterresourcebinding'],
  ['work', CU, 'work/works', 'Namespaced', 'mutate-work'],
  ['autoscaling', CU, 'autoscaling/federatedhpas', 'Namespaced', 'mutate-federatedhpa'],
  ['multiclusterservice', CU, 'networking/multiclusterservices', 'Namespaced', 'mutate-multiclusterservice'],
]
const VALIDATING = [
  ['propagationpolicy', CU, 'policy/propagationpolicies', 'Namespaced', 'validate-propagationpolicy'],
  ['clusterpropagationpolicy', CU, 'policy/clusterpropagationpolicies', 'Cluster', 'validate-clusterpropagationpolicy'],
  ['overridepolicy', CU, 'policy/overridepolicies', 'Namespaced', 'validate-overridepolicy'],
  ['clusteroverridepolicy', CU, 'policy/clusteroverridepolicies', 'Cluster', 'validate-clusteroverridepolicy'],
  [
    'config',
    CU,
    'config/resourceinterpreterwebhookconfigurations',
    'Cluster',
    'validate-resourceinterpreterwebhookconfiguration',
  ],
  [
    'resourceinterpretercustomization',
    CU,
    'config/resourceinterpretercustomizations',
    'Cluster',
    'validate-resourceinterpretercustomization',
    10,
  ],
  ['federatedresourcequota', CU, 'policy/federatedresourcequotas', 'Namespaced', 'validate-federatedresourcequota'],
  ['multiclusteringress', CU, 'networking/multiclusteringresses', 'Namespaced', 'validate-multiclusteringress'],
  ['federatedhpa', CU, 'autoscaling/federatedhpas', 'Namespaced', 'validate-federatedhpa'],
  ['cronfederatedhpa', CU, 'autoscaling/cronfederatedhpas', 'Namespaced', 'validate-cronfederatedhpa'],
  ['multiclusterservice', CU, 'networking/multiclusterservices', 'Namespaced', 'validate-multiclusterservice'],
  ['resourcedeletionprotection', 'DELETE', '*/*', '*', 'validate-resourcedeletionprotection'],
  ['resourcebinding', CU, 'work/resourcebindings', 'Namespaced', 'validate-resourcebinding', 'NoneOnDryRun'],
  ['clustertaintpolicy', CU, 'policy/clustertaintpolicies', 'Cluster', 'validate-clustertaintpolicy'],
]

describe('webhookConfigurations', () => {
  const [mutating, validating] = webhookConfigurations(SITE)

  it('has all hooks of the release, at the webhook server in the host', () => {
    expect(hooksOf(mutating).map(rowOf)).toEqual(MUTATING)
    expect(hooksOf(validating).map(rowOf)).toEqual(VALIDATING)
  })

  it('trusts the control plane’s authority only, and fails closed', () => {
    for (const hook of [...hooksOf(mutating), ...hooksOf(validating)]) {
      expect(hook).toMatchObject({
        clientConfig: { caBundle: CA },
        failurePolicy: 'Fail',
        admissionReviewVersions: ['v1'],
      })
    }
  })

  it('protects from deletion only what is labelled so, and so nothing of ours', () => {
    expect(hooksOf(validating).find(({ name }) => name === 'resourcedeletionprotection.karmada.io')).toMatchObject({
      objectSelector: {
        matchExpressions: [{ key: 'resourcetemplate.karmada.io/deletion-protected', operator: 'Exists' }],
      },
    })
  })
})

const crd = (name: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: { group: 'work.karmada.io' },
  status: { conditions: [] },
})

describe('crdManifests', () => {
  const assetOf = (content: unknown) => async () => gzipSync(JSON.stringify(content))

  it('has the two kinds with several versions converted by the webhook server', async () => {
    const names = [
      'works.work.karmada.io',
      'resourcebindings.work.karmada.io',
      'clusterresourcebindings.work.karmada.io',
    ]
    const manifests = await crdManifests({ asset: assetOf(names.map(crd)) }, SITE)
    const conversion = {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: 'https://karmada-webhook.fed.svc:443/convert', caBundle: CA },
        conversionReviewVersions: ['v1'],
      },
    }
    expect(manifests.map(({ spec }) => (spec as { conversion?: unknown }).conversion)).toEqual([
      undefined,
      conversion,
      conversion,
    ])
    expect(manifests[0]).not.toHaveProperty('status')
  })

  it('refuses an asset that is not a list of CRDs', async () => {
    await expect(crdManifests({ asset: assetOf([{ kind: 'Pod' }]) }, SITE)).rejects.toThrow()
  })
})

describe('aggregation', () => {
  it('leads from the control plane to the host, by the DNS name that pods there resolve', () => {
    const [service, apiService] = aggregation(SITE)
    expect(service).toMatchObject({
      metadata: { namespace: 'karmada-system', name: 'karmada-aggregated-apiserver' },
      spec: { type: 'ExternalName', externalName: 'karmada-aggregated-apiserver.fed.svc.cluster.local' },
    })
    expect(apiService).toMatchObject({
      metadata: { name: 'v1alpha1.cluster.karmada.io' },
      spec: {
        group: 'cluster.karmada.io',
        version: 'v1alpha1',
        caBundle: CA,
        service: { name: 'karmada-aggregated-apiserver', namespace: 'karmada-system' },
      },
    })
  })
})

describe('rbac', () => {
  const byName = (kind: string, name: string) =>
    rbac().find((object) => object.kind === kind && object.metadata.name === name)

  it('gives a group of its own what administrators have, so that it can be taken again', () => {
    expect(FEDERATION_ADMINS).not.toMatch(/^system:/)
    expect(byName('ClusterRoleBinding', FEDERATION_ADMINS)).toMatchObject({
      roleRef: { name: 'cluster-admin' },
      subjects: [{ kind: 'Group', name: FEDERATION_ADMINS }],
    })
  })

  it('lets our own administrator through to members', () => {
    expect(byName('ClusterRoleBinding', 'cluster-proxy-admin')).toMatchObject({
      subjects: [{ kind: 'User', name: 'fedplane:admin' }],
    })
  })

  it('adds Karmada’s kinds to view and edit, reading and writing apart', () => {
    const [view, edit] = ['view', 'edit'].map((verb) => byName('ClusterRole', `karmada-${verb}`))
    expect(view?.metadata.labels).toMatchObject({ 'rbac.authorization.k8s.io/aggregate-to-view': 'true' })
    expect(edit?.metadata.labels).toMatchObject({ 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' })
    const verbsOf = (role: KubernetesObject | undefined) =>
      ((role?.rules ?? []) as { verbs: string[] }[]).flatMap(({ verbs }) => verbs)
    expect(new Set(verbsOf(view))).toEqual(new Set(['get', 'list', 'watch']))
    expect(verbsOf(edit).filter((verb) => verbsOf(view).includes(verb))).toEqual([])
  })

  it('shows nobody but administrators the Works, which hold Secrets, and lets nobody write what controllers copy by', () => {
    const resourcesOf = (verb: string) =>
      (
        ((byName('ClusterRole', `karmada-${verb}`) as KubernetesObject | undefined)?.rules ?? []) as {
          apiGroups: string[]
          resources: string[]
        }[]
      )
        .filter(({ apiGroups }) => apiGroups.includes('work.karmada.io'))
        .flatMap(({ resources }) => resources)
    expect([resourcesOf('view'), resourcesOf('edit')]).toEqual([['resourcebindings', 'resourcebindings/status'], []])
    const edit = JSON.stringify(byName('ClusterRole', 'karmada-edit'))
    expect([edit.includes('propagationpolicies'), edit.includes('overridepolicies')]).toEqual([true, false])
  })

  it('lets nobody in who is anonymous or has a bootstrap token: members are joined by push only', () => {
    expect(JSON.stringify(rbac())).not.toMatch(/system:anonymous|system:unauthenticated|system:bootstrappers/)
  })
})

describe('systemNamespaces', () => {
  it('keeps the namespace of impersonators out of members', () => {
    const own = systemNamespaces('01920000-0000-7000-8000-0123456789ab').at(-1)
    expect(own?.metadata).toMatchObject({
      name: 'fedplane-23456789ab',
      labels: { 'namespace.karmada.io/skip-auto-propagation': 'true' },
    })
  })
})

describe('keepWorkloads', () => {
  it('binds a policy that denies, on Works of leaving members only', () => {
    const [policy, binding] = keepWorkloads()
    expect(policy).toMatchObject({
      spec: {
        matchConstraints: {
          namespaceSelector: { matchLabels: { 'fedplane.io/keep-workloads': 'true' } },
          resourceRules: [{ resources: ['works'], operations: ['CREATE', 'UPDATE'] }],
        },
      },
    })
    expect(binding).toMatchObject({ spec: { policyName: policy?.metadata.name, validationActions: ['Deny'] } })
  })
})

/** Holds objects by kind, and counts writes. */
const fakeClient = () => {
  const stored = new Map<string, KubernetesObject>()
  const writes: string[] = []
  const keyOf = ({ plural, namespace = '' }: Resource, name: string) => `${plural}|${namespace}|${name}`
  const client = {
    list: async ({ plural, namespace = '' }: Resource) => ({
      items: [...stored].filter(([key]) => key.startsWith(`${plural}|${namespace}|`)).map(([, object]) => object),
    }),
    apply: async (resource: Resource, object: KubernetesObject) => {
      writes.push(object.metadata.name)
      stored.set(keyOf(resource, object.metadata.name), { ...object, status: {} })
      return object
    },
  } as unknown as KubernetesClient
  return { client, writes, stored }
}

describe('applyAll', () => {
  const objects = [...rbac(), ...aggregation(SITE), ...webhookConfigurations(SITE)]

  it('writes each object once, and nothing in a second run', async () => {
    const { client, writes } = fakeClient()
    await applyAll(client, objects)
    expect(writes).toHaveLength(objects.length)
    await applyAll(client, objects)
    expect(writes).toHaveLength(objects.length)
    expect(await differences(client, objects)).toEqual([])
  })

  it('repairs only what somebody changed', async () => {
    const { client, writes, stored } = fakeClient()
    await applyAll(client, objects)
    const [key, object] = [...stored].find(([name]) => name.startsWith('apiservices|')) as [string, KubernetesObject]
    stored.set(key, { ...object, spec: { ...(object.spec as object), caBundle: 'another' } })
    writes.length = 0
    await applyAll(client, objects)
    expect(writes).toEqual(['v1alpha1.cluster.karmada.io'])
  })
})

describe('inParallel', () => {
  it('begins nothing more after a failure, and throws it when all that began are over', async () => {
    const ended: number[] = []
    const act = async (item: number) => {
      await new Promise((resolve) => setImmediate(resolve))
      ended.push(item)
      if (item === 0) throw new PermissionDenied('no')
    }
    const items = Array.from({ length: 20 }, (_, index) => index)
    await expect(inParallel(items, act)).rejects.toBeInstanceOf(PermissionDenied)
    expect(ended).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('does not begin more than a few at a time', async () => {
    let [now, most] = [0, 0]
    await inParallel(Array.from({ length: 40 }), async () => {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setImmediate(resolve))
      now -= 1
    })
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(6)
  })
})
