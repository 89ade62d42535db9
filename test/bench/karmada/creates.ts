import { create, openFleet } from '../../e2e/karmada/support/fleet.ts'
import { karmadactlInit, startNode } from '../../e2e/karmada/support/kube.ts'

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

/** Seconds of `karmadactl init` on a new node, with a volume for etcd as fedplane has one. */
export const createByKarmadactl = async (): Promise<number> => {
  const node = await startNode('peer')
  try {
    return await timed(() => karmadactlInit(node))
  } finally {
    await node.close()
  }
}

/** Seconds from the request to CREATE_COMPLETE, on a new node. */
export const createByFedplane = async (): Promise<number> => {
  const fleet = await openFleet()
  try {
    const host = await fleet.add(startNode('ours'))
    return await timed(() => create(fleet.api, { name: 'bench', host }))
  } finally {
    await fleet.close()
  }
}
