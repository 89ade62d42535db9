import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ClusterTemplate } from '../../functions/core/cluster/cluster-template.ts'
import { PlannedFailure } from '../../functions/drivers/contract/errors.ts'
import { deleteCluster } from '../support/flows/actions.ts'
import {
  ask,
  authoritiesOf,
  changeGroup,
  createGroup,
  deleteGroup,
  groupsOf,
  limit,
  newTemplate,
  resize,
  rested,
  sealAuthorities,
  settledCluster,
  upgrade,
  usesOf,
  useTemplate,
} from '../support/flows/cluster-tasks.ts'
import { DEATHS } from '../support/flows/deaths.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { history } from '../support/flows/look.ts'

/** Every step of every change of a cluster is run, killed and run again, in two ways; the end must be the one of an undisturbed run. */

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

type End = Record<string, unknown>

/** Templates of the cluster that is tried, in the order in which it meets them. */
let templates: ClusterTemplate[] = []
const template = async (labels?: Record<string, string>): Promise<ClusterTemplate> => {
  const made = await newTemplate(lab, labels)
  templates.push(made)
  return made
}

/** What is left of a cluster, without ids and times. */
const endOf = async (id: string): Promise<End> => {
  const cluster = await rested(lab, id)
  const groups = await groupsOf(lab, id)
  return {
    cluster:
      cluster === 'gone'
        ? cluster
        : {
            status: cluster.status,
            reason: cluster.statusReason,
            task: cluster.task,
            queue: cluster.queue,
            nodes: cluster.nodes,
            caPem: cluster.endpoint?.caPem,
            labels: cluster.magnum.templateLabels,
          },
    groups: groups.map(({ name, status, statusReason, nodeCount, reachedCount, nodeAddresses, imageId }) => ({
      ...{ name, status, statusReason, nodeCount, reachedCount, nodeAddresses, imageId },
    })),
    authorities: await authoritiesOf(lab, id),
    uses: await Promise.all(templates.map((it) => usesOf(lab, it))),
    history: (await history(lab, 'cluster', id)).filter((it) => !it.includes('pending')),
  }
}

/** Everything that can be changed of a cluster: requests that are made at once, before any of them has begun. */
const KINDS: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
  resize: (id) => resize(lab, id, { group: 'default-worker', nodeCount: 3 }),
  'node-group-create': (id) => createGroup(lab, id, { name: 'more' }),
  'node-group-update': (id) => changeGroup(lab, id, 'pool'),
  'node-group-delete': (id) => deleteGroup(lab, id, 'pool'),
  upgrade: async (id) => {
    await upgrade(lab, id, await template({ to: 'this' }))
  },
  'rotate-authority': async (id) =>
    ask(lab, id, { kind: 'rotate-authority' }, { writes: await sealAuthorities(lab, id, 'new', true) }),
  'several, one after the other': async (id) => {
    await limit(lab, id, { group: 'default-worker', nodeCount: 3 })
    await deleteGroup(lab, id, 'pool')
    await limit(lab, id, { group: 'default-worker', nodeCount: 2 })
  },
}

const prepared = async (): Promise<string> => {
  templates = []
  const id = await settledCluster(lab)
  await useTemplate(lab, id, await template())
  return id
}

const endsAlike = async (run: (id: string) => Promise<unknown>, script: () => void): Promise<void> => {
  const ends: Record<string, End> = {}
  for (const [how, die] of Object.entries(DEATHS)) {
    lab.reset()
    const id = await prepared()
    script()
    die(lab)
    await run(id)
    ends[how] = await endOf(id)
  }
  const { 'not at all': undisturbed, ...others } = ends
  for (const [how, end] of Object.entries(others)) expect(end, how).toEqual(undisturbed)
}

describe.each(Object.entries(KINDS))('%s, whenever it is killed and run again', (_, run) => {
  it('succeeds the same', () => endsAlike(run, () => undefined))

  it('fails the same', () =>
    endsAlike(run, () => {
      lab.clusters.before = ({ name }) => {
        if (name.startsWith('ensure:')) throw new PlannedFailure('The cloud has no room.')
      }
    }))
})

describe('a deletion, whenever it is killed and run again', () => {
  it('leaves nothing', async () => {
    await endsAlike(
      (id) => deleteCluster(lab, id),
      () => undefined,
    )
    lab.reset()
    const id = await prepared()
    const template = await newTemplate(lab)
    await useTemplate(lab, id, template)
    await deleteCluster(lab, id)
    expect(await endOf(id)).toMatchObject({ cluster: 'gone', groups: [] })
    expect(await authoritiesOf(lab, id)).toEqual(Array.from({ length: 6 }, () => undefined))
    expect(await usesOf(lab, template)).toBe(0)
  })
})
