import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../functions/core/values/secret.ts'
import { localPolicy } from '../../../../functions/kubernetes/address-guard.ts'
import { connectWith } from '../../../../functions/kubernetes/connect.ts'
import { namespaces, nodes } from '../../../../functions/kubernetes/resources.ts'
import { type Api, ApiRefused } from '../../../support/api/api.ts'
import { type Certificate, signedByFedplane } from '../../support/signed-by-fedplane.ts'
import { clusterPath } from '../../support/stories.ts'
import { groupOf, groupsOf, type MadeCluster, make, remove, resize, settled, template } from '../support/clusters.ts'
import { capiCluster, inNamespace, type Management } from '../support/management.ts'

const connect = connectWith({ policy: localPolicy })

export type World = { api: Api; management: Management }

const refusal = async (asked: Promise<unknown>): Promise<ApiRefused> => {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ApiRefused)
  return error as ApiRefused
}

/** One step after the other, each on what the last one left. */
export const describeLife = (world: () => World): void => {
  describe.concurrent('a cluster of capi@1', () => {
    const versions = { old: 'v1.34.3', next: 'v1.35.2', far: 'v1.36.1' }
    let cluster: MadeCluster
    const templates: Record<string, string> = {}
    const upgrade = async (version: keyof typeof versions, more: object = {}): Promise<void> => {
      const { api } = world()
      await api.ask('POST', `${clusterPath(cluster.uuid)}/actions/upgrade`, {
        cluster_template: templates[version],
        max_batch_size: 1,
        ...more,
      })
    }

    it('is made of one master and one worker', { concurrent: false }, async () => {
      const { api } = world()
      for (const [key, version] of Object.entries(versions))
        templates[key] = await template(api, `life-${key}`, version)
      cluster = await make(api, 'paris', templates.old ?? '')
      expect(cluster).toMatchObject({
        coe_version: versions.old,
        node_count: 1,
        master_count: 1,
        health_status: 'HEALTHY',
        api_address: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
        health_status_reason: { api: 'ok' },
      })
      expect(cluster.node_addresses).toHaveLength(1)
      expect(cluster.master_addresses).toHaveLength(1)
      expect(await groupsOf(api, cluster.uuid)).toMatchObject([
        { status: 'CREATE_COMPLETE', version: versions.old },
        { status: 'CREATE_COMPLETE', version: versions.old },
      ])
    })

    it('answers a kubeconfig whose certificate fedplane signed', { concurrent: false }, async () => {
      const { api } = world()
      const { pem: caPem } = await api.get<Certificate>(`/v1/certificates/${cluster.uuid}`)
      const { certificatePem, keyPem } = await signedByFedplane(api, cluster.uuid, {
        commonName: 'admin',
        organization: 'system:masters',
      })
      const client = connect({
        server: cluster.api_address ?? '',
        caPem,
        tlsServerName: null,
        tlsVerify: true,
        credential: { kind: 'client-certificate', certificatePem, keyPem: new Secret(keyPem) },
      })
      try {
        expect(await client.get(namespaces, 'kube-system')).toBeDefined()
        expect((await client.list(nodes)).items).toHaveLength(2)
      } finally {
        client.close()
      }
    })

    it('grows to 3 workers, and loses the one that is named and no other', { concurrent: false }, async () => {
      const { api } = world()
      const [named = '', ...others] = (await resize(api, cluster.uuid, 3)).node_addresses
      expect(others).toHaveLength(2)
      const { node_addresses: left } = await resize(api, cluster.uuid, 2, { nodes_to_remove: [named] })
      expect(left.toSorted()).toEqual(others.toSorted())
    })

    it('goes down to no worker, and comes back', { concurrent: false }, async () => {
      const { api } = world()
      expect((await resize(api, cluster.uuid, 0)).node_addresses).toEqual([])
      expect((await resize(api, cluster.uuid, 1)).node_addresses).toHaveLength(1)
    })

    it('gets another node group', { concurrent: false }, async () => {
      const { api } = world()
      await api.create(`${clusterPath(cluster.uuid)}/nodegroups`, { name: 'extra', node_count: 1 })
      await settled(api, cluster.uuid, 'UPDATE_COMPLETE')
      const extra = await groupOf(api, cluster.uuid, 'extra')
      expect(extra).toMatchObject({ status: 'CREATE_COMPLETE', version: versions.old })
      expect(extra.node_addresses).toHaveLength(1)
    })

    it('is not upgraded by two minor versions, nor back', { concurrent: false }, async () => {
      const { status, message } = await refusal(upgrade('far'))
      expect([status, message]).toEqual([400, expect.stringContaining(versions.far)])
    })

    it('is upgraded by one, and its other group after it', { concurrent: false }, async () => {
      const { api } = world()
      await upgrade('next')
      const upgraded = await settled(api, cluster.uuid, 'UPDATE_COMPLETE')
      expect(upgraded.coe_version).toBe(versions.next)
      expect((await groupOf(api, cluster.uuid, 'extra')).version).toBe(versions.old)
      const { status } = await refusal(upgrade('old'))
      expect(status).toBe(400)
      await upgrade('next', { nodegroup: 'extra' })
      await settled(api, cluster.uuid, 'UPDATE_COMPLETE')
      const groups = await groupsOf(api, cluster.uuid)
      expect(groups.map(({ version }) => version)).toEqual(groups.map(() => versions.next))
    })

    it('loses a node group', { concurrent: false }, async () => {
      const { api } = world()
      const { uuid } = await groupOf(api, cluster.uuid, 'extra')
      await api.delete(`${clusterPath(cluster.uuid)}/nodegroups/${uuid}`)
      await api.gone(`${clusterPath(cluster.uuid)}/nodegroups/${uuid}`)
      await settled(api, cluster.uuid, 'UPDATE_COMPLETE')
      expect((await groupsOf(api, cluster.uuid)).map(({ name }) => name)).toEqual(['default-master', 'default-worker'])
    })

    it('leaves nothing of itself in the management cluster', { concurrent: false }, async () => {
      const { api, management } = world()
      const { name = '', namespace = '' } = (await capiCluster(management, cluster.uuid))?.metadata ?? {}
      await remove(api, cluster.uuid)
      expect(await capiCluster(management, cluster.uuid)).toBeUndefined()
      const left = await inNamespace(management, namespace)
      expect(left.filter((object) => object.includes(name))).toEqual([])
    })
  })
}
