import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withControlPlane } from '../../../../functions/drivers/federation/karmada/v1/control-plane/open.ts'
import { stateOf } from '../../../../functions/drivers/federation/karmada/v1/model/names.ts'
import { namespaces } from '../../../../functions/kubernetes/resources.ts'
import { type KarmadaLab, openKarmadaLab } from '../../../support/karmada/lab.ts'
import { KarmadaLife } from '../../../support/karmada/life.ts'

/** A busy machine takes its time. */
const TIMEOUT_MS = 60_000

const PHASES = [
  'namespace',
  'service',
  'certificates',
  'kubeconfigs',
  'storage',
  'etcd',
  'api-server',
  'content',
  'controllers',
  'verify',
]

const claims = (namespace: string) => ({ group: '', version: 'v1', plural: 'persistentvolumeclaims', namespace })

describe('phases of karmada@1', { timeout: TIMEOUT_MS, concurrent: true }, () => {
  let lab: KarmadaLab
  beforeAll(async () => {
    lab = await openKarmadaLab()
  }, TIMEOUT_MS)
  afterAll(() => lab.close(), TIMEOUT_MS)

  it('are those of the specification, in its order', () => {
    expect(new KarmadaLife(lab).driver.phases.create.map(({ id }) => id)).toEqual(PHASES)
  })

  it.each(PHASES)('%s: what was made until then is taken back', async (last) => {
    const life = new KarmadaLife(lab)
    await life.createUntil(last)
    // Once: what a killed process leaves is as likely half of a phase as the whole.
    await life.lookAt(last)
    await life.undoCreate()
    expect(await lab.remains(life.federation.id)).toEqual([])
    expect([stateOf(life.federation), [...life.documents.keys()]]).toEqual([{}, []])
  })

  it('write nothing when they are run again, whichever it is', async () => {
    const life = new KarmadaLife(lab)
    await life.create()
    for (const id of PHASES) {
      life.budget.reset()
      expect(await life.lookAt(id), id).toMatchObject({ done: true })
      expect(life.budget.writes, id).toEqual([])
    }
    await life.delete()
    expect(await lab.remains(life.federation.id)).toEqual([])
  })

  it('row 38: without a StorageClass the preflight refuses, and so does the phase', async () => {
    const bare = await openKarmadaLab({ host: { storageClass: false } })
    const life = new KarmadaLife(bare)
    const { findings } = await life.driver.checkHost(life.context())
    expect(findings).toEqual([
      expect.objectContaining({ severity: 'error', message: expect.stringContaining('StorageClass') }),
    ])
    await life.createUntil('storage')
    await expect(life.lookAt('storage')).rejects.toMatchObject({ name: 'StorageClassMissing', retryable: false })
    await life.undoCreate()
    expect(await bare.remains(life.federation.id)).toEqual([])
    await bare.close()
  })

  it.each(['https://127.0.0.1:9'])(
    "rows 1, 7: an endpoint that does not lead here (%s) is used through the host's API",
    async (endpoint) => {
      const life = new KarmadaLife(lab, { 'api-service-type': 'ClusterIP', 'api-endpoint': endpoint })
      await life.create()
      const { warnings } = await life.lookAt('verify')
      expect(warnings).toEqual([
        expect.stringMatching(/^Its address https:\/\/127\.0\.0\.1:9 is not reached from here/),
      ])
      expect(await life.driver.endpoint(life.context())).toBe(endpoint)
      const paris = life.member(lab.members[0])
      await life.join(paris)
      expect(await life.driver.observe?.(life.context())).toMatchObject({ fault: null })
      await life.unjoin(paris)
      await life.delete()
      expect(await lab.remains(life.federation.id)).toEqual([])
    },
  )

  it('rows 4, 8: node ports lead to the API server from outside', async () => {
    const life = new KarmadaLife(lab, { 'api-service-type': 'NodePort' })
    await life.create()
    expect(await life.driver.endpoint(life.context())).toMatch(/^https:\/\/127\.0\.0\.1:3\d{4}$/)
    await life.delete()
    expect(await lab.remains(life.federation.id)).toEqual([])
  })

  it('rows 11, 12: data is on volumes; it is kept where that was asked for, and reported', async () => {
    const life = new KarmadaLife(lab, { 'keep-data': 'true' })
    await life.create()
    await withControlPlane(life.context(), (client) =>
      client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'precious' } }),
    )
    await life.delete()
    expect(life.leftovers.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
      `Namespace ${life.namespace}`,
      'PersistentVolumeClaim etcd-data-etcd-0',
    ])
    const { admin } = lab.clusters[0]!
    expect((await admin.list(claims(life.namespace))).items).toHaveLength(1)
    await admin.delete(claims(life.namespace), 'etcd-data-etcd-0')
    await admin.delete(namespaces, life.namespace)
  })

  it('row 11: a namespace of another federation is refused, in the preflight and by the phase', async () => {
    const [first, second] = [new KarmadaLife(lab), new KarmadaLife(lab)]
    await first.ensure('namespace')
    second.federation = { ...second.federation, properties: first.federation.properties }
    const { findings } = await second.driver.checkHost(second.context())
    expect(findings).toEqual([expect.objectContaining({ severity: 'error', reason: 'ForeignObject' })])
    await expect(second.lookAt('namespace')).rejects.toMatchObject({ name: 'ForeignObject', retryable: false })
    await second.undoCreate()
    expect(await lab.remains(first.federation.id)).toEqual([expect.stringContaining(first.namespace)])
    await first.undoCreate()
  })

  it('row 14: what expires is known, and the content of a control plane outlives its certificates', async () => {
    const life = new KarmadaLife(lab)
    await life.create()
    const { renewAfter } = life.federation
    expect(new Date(renewAfter ?? 0).getTime()).toBeGreaterThan(Date.now() + 200 * 86_400_000)
    await withControlPlane(life.context(), (client) =>
      client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'precious' } }),
    )
    await life.rotateCertificates()
    life.restRotation()
    const kept = await withControlPlane(life.context(), (client) => client.get(namespaces, 'precious'))
    expect(kept?.metadata.name).toBe('precious')
    await life.delete()
  })
})
