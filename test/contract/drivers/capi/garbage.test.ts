import { afterEach, describe, expect, it } from 'vitest'
import { managementClient } from '../../../../functions/core/access/management-client.ts'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import type { ClusterContext } from '../../../../functions/drivers/contract/cluster-driver.ts'
import type { KubernetesClient, KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { ObjectNotFound } from '../../../../functions/kubernetes/errors.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

type Spoilt = (real: KubernetesClient) => Partial<KubernetesClient>

/** Its management cluster, spoilt, as drivers are given it. */
const spoiling = (context: ClusterContext, spoilt: Spoilt): ClusterContext => ({
  ...context,
  management: async () => {
    const access = await context.management()
    const client = async () => {
      const real = await access.client()
      return managementClient({ ...real, ...spoilt(real) }, access.cluster.name)
    }
    return { ...access, client }
  },
})

const endless: Spoilt = () => {
  let page = 0
  return { list: async () => ({ items: [], continue: `after-${++page}` }) }
}

/** Has all that is read of a kind say something else. */
const saying = (kind: string, change: (object: KubernetesObject) => object): Spoilt => {
  const said = (object: KubernetesObject): KubernetesObject =>
    object.kind === kind ? ({ ...object, ...change(object) } as KubernetesObject) : object
  return (real) => ({
    get: async (resource, name) => {
      const object = await real.get(resource, name)
      return object && said(object)
    },
    list: async (resource, options) => {
      const list = await real.list(resource, options)
      return { ...list, items: list.items.map(said) }
    },
  })
}

const UNREACHABLE = {
  name: 'ManagementUnreachable',
  retryable: true,
  message: expect.stringMatching(/^Management cluster management /),
}

describe('capi@1 and a management cluster that answers nonsense', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const made = async (): Promise<ClusterLife> => {
    lab = await openCapiLab()
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    return life
  }

  const waits = async (context: ClusterContext, phases: readonly string[]): Promise<void> => {
    for (const phase of capiV1.phases.create.filter(({ id }) => phases.includes(id))) {
      await expect(phase.ensure(context)).rejects.toMatchObject(UNREACHABLE)
    }
  }

  it('waits for the end of a list that has none', async () => {
    const life = await made()
    const context = spoiling(life.context(), endless)
    await waits(context, ['machines', 'identify'])
    expect(await capiV1.observe(context)).toMatchObject({ healthStatus: 'UNKNOWN' })
    const secrets = capiV1.phases.delete.find(({ id }) => id === 'secrets')
    const gone: Spoilt = (real) => ({
      ...endless(real),
      get: async () => undefined,
    })
    await expect(secrets?.ensure(spoiling(life.context(), gone))).rejects.toMatchObject(UNREACHABLE)
  })

  it.each<[string, string, (object: KubernetesObject) => object]>([
    ['a count that is text', 'KubeadmControlPlane', ({ spec }) => ({ spec: { ...(spec as object), replicas: '3' } })],
    ['a count that is text', 'MachineDeployment', ({ spec }) => ({ spec: { ...(spec as object), replicas: '3' } })],
    ['addresses that are none', 'Machine', () => ({ status: { addresses: '10.0.0.1' } })],
    ['a status that is text', 'Cluster', () => ({ status: 'fine' })],
  ])('waits while it gives %s (%s)', async (_, kind, change) => {
    const context = spoiling((await made()).context(), saying(kind, change))
    await waits(context, ['machines', 'identify'])
    expect(await capiV1.observe(context)).toMatchObject({
      healthStatus: 'UNKNOWN',
      healthReason: { management: expect.stringContaining(kind) },
    })
  })

  it('waits while the class is not to be read', async () => {
    const context = spoiling(
      (await made()).context(),
      saying('ClusterClass', () => ({ status: [] })),
    )
    await waits(context, ['class'])
    await expect(capiV1.preview?.(context)).rejects.toMatchObject(UNREACHABLE)
  })

  it.each(['Cluster', 'KubeadmControlPlane', 'MachineDeployment', 'Machine'])(
    'takes null for absent (%s)',
    async (kind) => {
      const context = spoiling(
        (await made()).context(),
        saying(kind, ({ metadata }) => ({ metadata: { ...metadata, annotations: null }, status: null })),
      )
      expect(JSON.stringify(await capiV1.observe(context))).not.toContain('no Cluster API says')
    },
  )

  it.each(['create', 'apply'] as const)('waits for kinds that are not served for a while (%s)', async (method) => {
    lab = await openCapiLab()
    const life = new ClusterLife(capiV1, lab)
    const unserved: Spoilt = () => ({
      [method]: () =>
        Promise.reject(
          new ObjectNotFound('POST /apis/x of 10.0.0.1 was answered: not found', { details: { missing: '' } }),
        ),
    })
    const context = spoiling(life.context(), unserved)
    await expect(capiV1.preview?.(context)).rejects.toMatchObject(UNREACHABLE)
    await waits(context, method === 'create' ? ['namespace', 'class'] : ['authorities'])
  })

  it('says in its own words only why it refuses', async () => {
    const life = await made()
    lab.server.behaviour.callWebhook = () => ({ answer: 'denied', message: 'not on Saturdays' })
    const task = {
      kind: 'resize',
      nodeGroupId: life.group('default-worker').id,
      nodeCount: 2,
      nodesToRemove: [],
    } as const
    life.group('default-worker').nodeCount = 2
    await expect(capiV1.preview?.({ ...spoiling(life.context(), () => ({})), task })).rejects.toMatchObject({
      name: 'ChangeRefused',
      message: expect.stringMatching(
        /^The management cluster management refuses this\. It says: admission webhook .* not on Saturdays\.$/,
      ),
    })
  })
})
