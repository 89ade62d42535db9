import { afterEach, describe, expect, it } from 'vitest'
import type { ClusterTemplate } from '../../../../functions/domain/cluster-template.ts'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { type MachineSpec, specOf } from '../../../support/capi/objects.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

/** Stands in the template of machines that never come up. */
const BROKEN = '3599s'

/** Decision 0025: what an upgrade has left that failed, another one mends. */
describe('capi@1 after an upgrade whose machines never come up', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const template = (kube_tag: string, dev_startup_seconds: string): ClusterTemplate => ({
    ...lab.making.newer,
    spec: { ...lab.making.newer.spec, labels: { kube_tag, dev_startup_seconds } },
  })

  const phaseOf = (id: string) => capiV1.phases.update.upgrade?.find((phase) => phase.id === id)

  const asked = (life: ClusterLife, wanted: ClusterTemplate) => ({
    ...life.context(),
    task: {
      kind: 'upgrade',
      templateId: wanted.id,
      templateProjectId: wanted.projectId,
      nodeGroupId: null,
      maxBatchSize: 1,
    } as const,
    template: async () => wanted,
  })

  const stuck = async (): Promise<ClusterLife> => {
    lab = await openCapiLab()
    lab.capi.options.machineFate = (machine) =>
      (specOf<MachineSpec>(machine).machineTemplate ?? '').includes(BROKEN)
        ? { reason: 'NotReady', message: 'no valid host was found' }
        : 'up'
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    const context = asked(life, template('v1.36.1', '3599'))
    await capiV1.preview?.(context)
    await phaseOf('apply')?.ensure(context)
    await expect
      .poll(async () => (await phaseOf('settle')?.ensure(context))?.waitingFor, { timeout: 10_000 })
      .toMatch(/default-master/)
    return life
  }

  it('is upgraded to another template of the same version, whose machines take their place', async () => {
    const life = await stuck()
    const mended = template('v1.36.1', '1')
    await expect(capiV1.preview?.(asked(life, mended))).resolves.toBeUndefined()
    await life.upgrade(mended)
    expect(life.nodeGroups.map(({ version }) => version)).toEqual(['v1.36.1', 'v1.36.1'])
    expect((await capiV1.observe(life.context())).healthStatus).toBe('HEALTHY')
  })

  it('goes back to no older version, which is said at once', async () => {
    const life = await stuck()
    await expect(capiV1.preview?.(asked(life, template('v1.35.2', '1')))).rejects.toMatchObject({
      name: 'ChangeRefused',
      message: expect.stringMatching(/its control plane is on its way to v1\.36\.1 .*kube_tag=v1\.36\.1/),
    })
  })
})
