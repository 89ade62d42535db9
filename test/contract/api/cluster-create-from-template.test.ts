import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUTHORITIES, type Cluster } from '../../../functions/core/cluster/cluster.ts'
import type { ClusterTemplate, ClusterTemplateSpec } from '../../../functions/core/cluster/cluster-template.ts'
import { QUOTA_RESOURCE, type Quota } from '../../../functions/core/values/quota.ts'
import { TemplateGone } from '../../../functions/store/errors.ts'
import { givenTemplate, readCluster, readGroups } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB } from '../../support/api/request.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

/** Of Alice's project, but no administrator. */
const CAROL = { ...ALICE, userId: 'carol', roles: ['member', 'reader'] as const }

const post = (body: unknown, version = 'latest', as: typeof ALICE = ALICE) =>
  lab.call('POST', '/v1/clusters', { as, body, headers: { 'OpenStack-API-Version': `container-infra ${version}` } })

const made = async (template: ClusterTemplate, attributes: object = {}): Promise<Cluster> => {
  const { body, text } = await post({ cluster_template_id: template.id, ...attributes })
  if (body.uuid === undefined) throw new Error(text)
  return readCluster(lab, body.uuid)
}

const useCount = async ({ projectId, id }: ClusterTemplate) =>
  (await lab.stores.templates.get({ projectId, id }))?.clusterCount

describe('section 4.1: a cluster from a template', () => {
  const SPEC: Partial<ClusterTemplateSpec> = {
    keypairId: 'key',
    flavorId: 'small',
    masterFlavorId: 'large',
    fixedNetwork: 'net',
    fixedSubnet: 'subnet',
    dockerVolumeSize: 5,
    floatingIpEnabled: true,
    masterLbEnabled: true,
    imageId: 'fedora',
  }
  const GIVEN = {
    keypair: 'mine',
    flavor_id: 'tiny',
    master_flavor_id: 'huge',
    fixed_network: 'n',
    fixed_subnet: 's',
    docker_volume_size: 7,
    floating_ip_enabled: false,
    master_lb_enabled: 'false',
  }

  it('has the template’s values where the request has none', async () => {
    const template = await givenTemplate(lab, { spec: SPEC })
    expect((await made(template, { keypair: null, flavor_id: '', labels: {} })).magnum).toMatchObject({
      clusterTemplateId: template.id,
      templateProjectId: 'blue',
      keypair: 'key',
      flavorId: 'small',
      masterFlavorId: 'large',
      fixedNetwork: 'net',
      fixedSubnet: 'subnet',
      dockerVolumeSize: 5,
      floatingIpEnabled: true,
      masterLbEnabled: true,
      tlsDisabled: false,
      createTimeout: 60,
    })
  })

  it('has the request’s values before the template’s', async () => {
    expect((await made(await givenTemplate(lab, { spec: SPEC }), GIVEN)).magnum).toMatchObject({
      keypair: 'mine',
      flavorId: 'tiny',
      masterFlavorId: 'huge',
      fixedNetwork: 'n',
      fixedSubnet: 's',
      dockerVolumeSize: 7,
      floatingIpEnabled: false,
      masterLbEnabled: false,
    })
  })

  it('has two default node groups before the 202 (section 13.1)', async () => {
    const template = await givenTemplate(lab, { spec: SPEC })
    const labels = { min_node_count: '2', a: 'b' }
    const cluster = await made(template, { node_count: 4, master_count: 3, labels })
    const common = { isDefault: true, imageId: 'fedora', labels, dockerVolumeSize: 5, status: 'CREATE_IN_PROGRESS' }
    expect(await readGroups(lab, cluster.id)).toMatchObject([
      {
        ...common,
        number: 1,
        name: 'default-master',
        role: 'master',
        nodeCount: 3,
        minNodeCount: 0,
        flavorId: 'large',
      },
      {
        ...common,
        number: 2,
        name: 'default-worker',
        role: 'worker',
        nodeCount: 4,
        minNodeCount: 2,
        flavorId: 'small',
      },
    ])
    expect(cluster.nodes).toMatchObject({ nodeCount: 4, masterCount: 3 })
  })

  it('shows the template’s id, whatever named it, and the counts', async () => {
    const template = await givenTemplate(lab, { name: 'by-name' })
    const { body } = await post({ cluster_template_id: 'by-name', node_count: 2 })
    expect((await lab.call('GET', `/v1/clusters/${body.uuid}`)).body).toMatchObject({
      cluster_template_id: template.id,
      driver: 'memory@1',
      node_count: 2,
      master_count: 1,
      status: 'CREATE_IN_PROGRESS',
    })
  })

  it('counts as a use of the template', async () => {
    const template = await givenTemplate(lab)
    await made(template)
    await made(template)
    expect(await useCount(template)).toBe(2)
  })

  it('can be of another project’s template that is published', async () => {
    const template = await givenTemplate(lab, { projectId: 'green', name: 'theirs', public: true })
    expect((await made(template)).magnum).toMatchObject({ clusterTemplateId: template.id, templateProjectId: 'green' })
    expect(await useCount(template)).toBe(1)
  })

  it('of a built-in template belongs to nobody’s', async () => {
    const { body } = await post({ cluster_template_id: 'external', kubeconfig: kubeconfigText() })
    expect((await readCluster(lab, body.uuid)).magnum).toMatchObject({
      clusterTemplateId: 'fed91a4e-0000-4000-8000-000000000001',
      templateProjectId: null,
    })
  })

  it('has node groups without nodes when its nodes are only counted', async () => {
    const { body } = await post({ kubeconfig: kubeconfigText(), node_count: 1, master_count: 1 })
    expect((await readGroups(lab, body.uuid)).map(({ nodeCount }) => nodeCount)).toEqual([0, 0])
    expect((await readCluster(lab, body.uuid)).nodes).toBeNull()
  })

  it.each<[unknown, number]>([
    [undefined, 3600],
    [5, 300],
    [null, 3600],
    [0, 3600],
  ])('with create_timeout %s has %i s', async (create_timeout, seconds) => {
    const { operation } = await made(await givenTemplate(lab), { create_timeout })
    expect(Date.parse(operation?.deadline ?? '') - Date.parse(operation?.startedAt ?? '')).toBe(seconds * 1000)
  })
})

describe('section 7.1: certificate authorities', () => {
  const authorities = ({ id }: Cluster) =>
    Promise.all(
      AUTHORITIES.map((type) =>
        lab.stores.certificates.certificate({ projectId: 'blue', clusterId: id, type, candidate: false }),
      ),
    )

  it('are there with the cluster', async () => {
    expect(await authorities(await made(await givenTemplate(lab)))).toEqual(
      AUTHORITIES.map(() => expect.stringContaining('BEGIN CERTIFICATE')),
    )
  })

  it.each<[string, Parameters<typeof givenTemplate>[1]]>([
    ['TLS is disabled', { spec: { tlsDisabled: true } }],
    ['the driver leaves them to others', { driver: 'rigid@1' }],
  ])('are none when %s', async (_what, fields) => {
    expect(await authorities(await made(await givenTemplate(lab, fields)))).toEqual([undefined, undefined, undefined])
  })
})

describe('section 4.1: POST refuses', () => {
  type Row = [what: string, template: Parameters<typeof givenTemplate>[1], body: object, status: number, detail: string]

  it.each<Row>([
    ['a driver that is not the template’s', {}, { driver: 'rigid@1' }, 400, 'is for the driver memory@1'],
    ['a template of a driver that is not enabled', { driver: 'gone@1' }, {}, 400, '"gone@1" is not enabled'],
    [
      'a small volume for devicemapper',
      { spec: { dockerStorageDriver: 'devicemapper' } },
      { docker_volume_size: 2 },
      400,
      'at least 3 GB',
    ],
    ['an even number of masters', {}, { master_count: 4 }, 400, 'must be odd'],
    [
      'masters without a load balancer',
      { spec: { masterLbEnabled: false } },
      { master_count: 3 },
      400,
      'load balancer',
    ],
    [
      'masters whose load balancer is off',
      { spec: { masterLbEnabled: true } },
      { master_count: 3, master_lb_enabled: false },
      400,
      'load balancer',
    ],
    [
      'what the driver refuses in the template’s labels',
      { spec: { labels: { refused: 'Not so.' } } },
      {},
      400,
      'Not so.',
    ],
    [
      'a kubeconfig beside a template of a driver that takes none',
      {},
      { kubeconfig: kubeconfigText() },
      400,
      'takes no "kubeconfig"',
    ],
    ['a private template of another project', { projectId: 'green' }, {}, 404, 'could not be found'],
    [
      'a hidden template of another project',
      { projectId: 'green', public: true, hidden: true },
      {},
      404,
      'could not be found',
    ],
  ])('%s', async (...[, fields, body, status, detail]) => {
    const template = await givenTemplate(lab, fields)
    const answer = await post({ cluster_template_id: template.id, ...body })
    expect([answer.status, answer.body.errors?.[0].detail]).toEqual([status, expect.stringContaining(detail)])
    expect(await useCount(template)).toBe(0)
  })

  it.each<['a volume at the limit' | 'several masters', object, object]>([
    ['a volume at the limit', { dockerStorageDriver: 'devicemapper' }, { docker_volume_size: 3 }],
    ['several masters', { masterLbEnabled: true }, { master_count: 3 }],
  ])('not %s', async (_what, spec, body) => {
    const template = await givenTemplate(lab, { spec })
    expect((await post({ cluster_template_id: template.id, ...body })).status).toBe(202)
  })

  it('a hidden template of the own project, to all but administrators', async () => {
    const template = await givenTemplate(lab, { hidden: true })
    const refused = await post({ cluster_template_id: template.id }, 'latest', CAROL)
    expect([refused.status, refused.body.errors[0].detail]).toEqual([403, expect.stringContaining('is hidden')])
    expect((await post({ cluster_template_id: template.id })).status).toBe(202)
  })

  it.each([
    ['1.9', 400],
    ['1.10', 404],
  ])('at %s a template that was removed meanwhile with %i', async (version, status) => {
    const template = await givenTemplate(lab)
    const { countUse } = lab.stores.templates
    lab.stores.templates.countUse = () => {
      lab.stores.templates.countUse = countUse
      throw new TemplateGone('It is gone.')
    }
    expect((await post({ cluster_template_id: template.id }, version)).status).toBe(status)
  })

  it('a template’s ambiguous name', async () => {
    for (const _ of [1, 2]) await givenTemplate(lab, { name: 'both' })
    const { status, body } = await post({ cluster_template_id: 'both' })
    expect([status, body.errors[0].detail]).toEqual([409, expect.stringMatching(/^Multiple cluster templates have/)])
  })
})

describe('section 4.1: quota', () => {
  const POOR = { ...BOB, projectId: 'poor', roles: ['member', 'reader'] as const }
  const create = (body: object) => post({ driver: 'memory@1', ...body }, 'latest', POOR)
  beforeAll(async () => {
    const { quotas, commit } = lab.stores
    const number = await quotas.nextNumber()
    const now = new Date().toISOString()
    const quota: Quota = {
      projectId: 'poor',
      resource: QUOTA_RESOURCE,
      number,
      hardLimit: 1,
      revision: 1,
      createdAt: now,
      updatedAt: null,
    }
    await commit([quotas.insert(quota)])
  })

  it('is not spent by what is refused', async () => {
    for (const labels of [{ refused: 'No.' }, { refused: 'No, again.' }])
      expect((await create({ labels })).status).toBe(400)
    expect((await create({})).status).toBe(202)
  })

  it('that is spent is 403, before the load balancer is asked about and after the number of masters', async () => {
    const answers = await Promise.all([create({}), create({ master_count: 3 }), create({ master_count: 2 })])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 400])
  })

  it('is the installation’s own where none is set', async () => {
    expect((await post({ driver: 'memory@1' }, 'latest', { ...POOR, projectId: 'rich' })).status).toBe(202)
  })
})
