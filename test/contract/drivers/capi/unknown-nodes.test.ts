import { afterEach, describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../../functions/core/cluster/cluster-task.ts'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

describe('capi@1 and nodes to remove that a group never had', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const made = async (): Promise<ClusterLife> => {
    lab = await openCapiLab()
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    await life.resize('default-worker', 2)
    return life
  }

  const refusal = (life: ClusterLife, name: string): Promise<unknown> => {
    const task: ClusterTask = {
      kind: 'resize',
      nodeGroupId: life.group('default-worker').id,
      nodeCount: 1,
      nodesToRemove: [name],
    }
    return Promise.resolve(capiV1.preview?.({ ...life.context(), task })).catch((error: unknown) => error)
  }

  it('refuses them before anything is written, and when their turn comes', async () => {
    const life = await made()
    const [master = ''] = life.group('default-master').nodeAddresses
    for (const name of ['typo', master]) {
      expect(await refusal(life, name)).toMatchObject({
        name: 'ChangeRefused',
        message: expect.stringMatching(
          new RegExp(`^Node group default-worker has no node "${name}"\\. Its nodes are \\S`),
        ),
      })
    }
    await expect(life.resize('default-worker', 1, ['typo'])).rejects.toMatchObject({ name: 'ChangeImpossible' })
    expect((await capiV1.observe(life.context())).nodeCount).toBe(2)
  })

  it('takes those that are there, and those that may have been', async () => {
    const life = await made()
    const [first = '', second = ''] = life.group('default-worker').nodeAddresses
    expect(await refusal(life, first)).toBeUndefined()
    await life.resize('default-worker', 1, [first])
    expect(life.group('default-worker').nodeAddresses).toEqual([second])
    for (const gone of [first, '10.0.0.77', '019a2b3c-0000-7000-8000-0123456789ab']) {
      expect(await refusal(life, gone)).toBeUndefined()
    }
  })
})
