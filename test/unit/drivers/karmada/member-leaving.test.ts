import { describe, expect, it } from 'vitest'
import { observeLeaving } from '../../../../functions/drivers/federation/karmada/v1/member/leaving.ts'
import type { KubernetesClient, KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { ObjectNotFound } from '../../../../functions/kubernetes/errors.ts'

const SPACE = 'karmada-es-paris'
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SPACE } }

/** A control plane that does not serve Works. */
const without = (found: KubernetesObject | undefined) => {
  const client = {
    get: async (_: unknown, name: string) => (name === SPACE ? found : undefined),
    list: async () => {
      throw new ObjectNotFound('no such resource')
    },
  }
  return observeLeaving({ client: client as unknown as KubernetesClient, memberName: 'paris', space: SPACE })
}

describe('observeLeaving, where Works are not served', () => {
  it('waits where there may be some: unmarked ones would take the workloads with them', async () => {
    await expect(without(namespace)).rejects.toMatchObject({
      name: 'Pending',
      message: `the control plane to serve works.work.karmada.io again: namespace ${SPACE} may have some`,
    })
  })

  it('sees none where their namespace is not either, as after a create that ended half-way', async () => {
    expect(await without(undefined)).toEqual({ cluster: undefined, namespace: undefined, works: [] })
  })
})
