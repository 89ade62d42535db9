import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { volumeClaims } from '../../../../functions/drivers/federation/karmada/v1/host/plan.ts'
import { readPki } from '../../../../functions/drivers/federation/karmada/v1/pki/pki.schema.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { namespaces, secrets } from '../../../../functions/kubernetes/resources.ts'
import { type KarmadaLab, openKarmadaLab } from '../../../support/karmada/lab.ts'
import { KarmadaLife } from '../../../support/karmada/life.ts'

/** A busy machine takes its time. */
const TIMEOUT_MS = 60_000

type Properties = Record<string, string>

describe('the preflight of karmada@1', { timeout: TIMEOUT_MS }, () => {
  let lab: KarmadaLab
  beforeAll(async () => {
    lab = await openKarmadaLab()
  }, TIMEOUT_MS)
  afterAll(() => lab.close(), TIMEOUT_MS)

  const admin = () => lab.clusters[0]!.admin
  const checked = async (life: KarmadaLife) => {
    life.budget.reset()
    const { findings } = await life.driver.checkHost(life.context())
    expect(life.budget.writes).toEqual([])
    return findings
  }
  const namespace = (name: string): KubernetesObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

  describe('in a namespace that is there', () => {
    const life = (properties: Properties) => new KarmadaLife(lab, { namespace: 'given', ...properties })
    const errorsOf = async (properties: Properties) =>
      (await checked(life(properties))).filter(({ reason }) => reason !== 'NamespaceExists')
    beforeAll(async () => {
      await admin().create(namespaces, namespace('given'))
      const secret = (name: string, type: string) =>
        admin().create(secrets('given'), {
          apiVersion: 'v1',
          kind: 'Secret',
          type,
          metadata: { name },
        } as KubernetesObject)
      await secret('pull', 'kubernetes.io/dockerconfigjson')
      await secret('opaque', 'Opaque')
    })
    afterAll(async () => {
      await admin().delete(namespaces, 'given')
    })

    it.each([
      ['pull', []],
      ['etcd-cert', [['error', 'ImagePullSecretUnfit']]],
      ['opaque', [['error', 'ImagePullSecretUnfit']]],
      ['absent', [['warning', 'ImagePullSecretMissing']]],
    ])('checks the pull secret %s', async (name, expected) => {
      const found = await errorsOf({ 'image-pull-secret': name })
      expect(found.map(({ severity, reason }) => [severity, reason])).toEqual(expected)
    })

    it('names the federation whose volumes are still there', async () => {
      const owner = '0193a1c2-0000-7000-8000-0123456789ab'
      const name = 'etcd-data-etcd-0'
      const metadata = { name, namespace: 'given', labels: { 'fedplane.io/federation': owner } }
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
      await admin().create(volumeClaims('given'), {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata,
        spec,
      } as KubernetesObject)
      const [fault] = await checked(life({}))
      expect(fault).toMatchObject({ severity: 'error', reason: 'ForeignObject' })
      expect(fault?.message).toContain(`${name} in the host (of federation ${owner})`)
      await admin().delete(volumeClaims('given'), name)
      await expect.poll(() => admin().get(volumeClaims('given'), name), { timeout: TIMEOUT_MS }).toBeUndefined()
    })

    it.each([
      ['80', ['NodePortUnusual']],
      ['32768', ['NodePortUnusual']],
      ['32443', []],
    ])('asks the host about node port %s', async (port, expected) => {
      const found = await errorsOf({ 'api-service-type': 'NodePort', 'api-node-port': port })
      expect(found.map(({ reason }) => reason)).toEqual(expected)
    })
  })

  it('asks about the node port also before there is a namespace, and not about its own', async () => {
    const life = new KarmadaLife(lab, { 'api-service-type': 'NodePort', 'api-node-port': '32444' })
    expect(await checked(life)).toEqual([])
    await life.createUntil('certificates')
    expect(await checked(life)).toEqual([])
    const other = new KarmadaLife(lab, { 'api-service-type': 'NodePort', 'api-node-port': '32444' })
    expect(await checked(other)).toMatchObject([
      { reason: 'ServiceRefused', message: expect.stringContaining('32444') },
    ])
    await life.undoCreate()
  })

  it('says what changed properties would make, and nothing once they are in force', async () => {
    const life = new KarmadaLife(lab)
    await life.create()
    const place = life.namespace
    const would = async (properties: Properties): Promise<readonly string[]> => {
      const context = life.context()
      const changed = { ...context.federation.properties, ...properties }
      const { findings, wouldMake } = await life.driver.checkUpdate!.host({
        ...context,
        federation: { ...context.federation, properties: changed },
      })
      expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
      return wouldMake
    }
    expect(await would({})).toEqual([])
    expect(await would({ replicas: '3' })).toEqual([
      `PersistentVolumeClaim ${place}/etcd-data-etcd-1 of 10Gi`,
      `PersistentVolumeClaim ${place}/etcd-data-etcd-2 of 10Gi`,
      `StatefulSet ${place}/etcd: 3 pods in place of 1`,
      ...['karmada-apiserver', 'kube-controller-manager', 'karmada-aggregated-apiserver', 'karmada-scheduler'].map(
        (name) => `Deployment ${place}/${name}: 3 pods in place of 1`,
      ),
      ...['karmada-controller-manager', 'karmada-webhook'].map(
        (name) => `Deployment ${place}/${name}: 3 pods in place of 1`,
      ),
    ])
    const change = { 'etcd-image-tag': '3.6.7-0', 'extra-sans': 'fed.example.com', 'api-service-annotations': 'a=b' }
    expect(await would(change)).toEqual([
      `Service ${place}/karmada-apiserver: its annotations`,
      `StatefulSet ${place}/etcd: image registry.k8s.io/etcd:3.6.7-0`,
      'a new certificate of karmada-apiserver, and with it new pods',
    ])
    await life.update({ ...life.federation.properties, ...change })
    expect(await would({})).toEqual([])
    await life.delete()
  })

  it('keeps the address of the Service in the certificate when api-endpoint moves it', async () => {
    const { behaviour } = lab.hostServer
    const { balancerAddress } = behaviour
    behaviour.balancerAddress = () => ({ ip: '127.0.0.2' })
    const life = new KarmadaLife(lab)
    await life.create()
    const move = async (endpoint: string) => {
      await life.update({ ...life.federation.properties, 'api-endpoint': endpoint })
      expect(await life.driver.endpoint(life.context())).toBe(endpoint)
    }
    await move('https://first.example.com:443')
    await move('https://localhost:443')
    const pki = await readPki(life.context())
    const certificate = new X509Certificate(pki!.leaves.apiserver.certificate)
    expect(['first.example.com', 'localhost'].filter((name) => certificate.checkHost(name) === undefined)).toEqual([])
    expect(certificate.checkIP('127.0.0.2')).toBe('127.0.0.2')
    await life.delete()
    behaviour.balancerAddress = balancerAddress
  })
})
