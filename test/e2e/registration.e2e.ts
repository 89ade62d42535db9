import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { whoAmI } from '../../functions/drivers/support/who-am-i.ts'
import { freePort } from '../../local/clusters/programs.ts'
import { clientOf } from '../../local/clusters/started-cluster.ts'
import type { ClusterSet, DemoCluster } from '../../local/clusters/take-clusters.ts'
import { type Fedplane, startFedplane } from '../../local/server.ts'
import { newAuthority } from '../../simulated-kubernetes/pki.ts'
import { Api, type ClusterView } from '../support/api/api.ts'
import { takeClusters } from './support/clusters.ts'
import { clusterPath, forgetClusters, register } from './support/stories.ts'

type Kubeconfig = {
  clusters: { name: string; cluster: Record<string, unknown> }[]
  users: { name: string; user: Record<string, unknown> }[]
}

/** A kubeconfig with another server, CA or credential. */
const altered = (cluster: DemoCluster, change: (config: Kubeconfig) => void): DemoCluster => {
  const config = parse(cluster.kubeconfig) as Kubeconfig
  change(config)
  return { ...cluster, name: 'altered', kubeconfig: stringify(config) }
}

describe('registering a real cluster', () => {
  let set: ClusterSet
  let fedplane: Fedplane
  let api: Api
  let server: Server
  let cluster: DemoCluster

  beforeAll(async () => {
    set = await takeClusters(1)
    cluster = set.clusters[0]!
    fedplane = await startFedplane()
    api = new Api(fedplane.url)
  })
  afterAll(async () => {
    server?.close()
    await fedplane?.close()
    await set?.close()
  })

  const failure = async (candidate: DemoCluster): Promise<string> => {
    const { name, kubeconfig, context } = candidate
    const id = await api.create('/v1/clusters', { name, kubeconfig, context })
    const view = await api.settled<ClusterView>(clusterPath(id), 'CREATE_FAILED')
    await forgetClusters(api, [id])
    return view.status_reason ?? ''
  }

  it('records what it is', async () => {
    const view = await register(api, cluster)
    expect(view).toMatchObject({ name: cluster.name, status: 'CREATE_COMPLETE', health_status: 'HEALTHY' })
    expect(view.coe_version).toMatch(/^v1\.\d+/)
    expect(view.api_address).toMatch(/^https:\/\//)
    expect(JSON.stringify(view)).not.toContain('PRIVATE KEY')

    const again = await failure({ ...cluster, name: 'again' })
    expect(again, 'the same cluster twice').toContain(view.uuid)
    await forgetClusters(api, [view.uuid])
  })

  it('gives a viewer an account of their own that can not write, and takes it away with the cluster', async () => {
    const view = await register(api, cluster)
    const path = `${clusterPath(view.uuid)}/kubeconfig`
    const { kubeconfig } = (await api.ask<{ kubeconfig: string }>('POST', path, { role: 'viewer' })).body
    const viewer = clientOf({ kubeconfig, context: view.name })
    const admin = clientOf(cluster)
    expect(await whoAmI(viewer)).toMatch(/^system:serviceaccount:fedplane-people-\w+:local-\w+$/)
    const configMaps = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default' }
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'no', namespace: 'default' } }
    expect((await viewer.list({ ...configMaps, namespace: 'kube-system' })).items.length).toBeGreaterThan(0)
    await expect(viewer.create(configMaps, config)).rejects.toMatchObject({ name: 'PermissionDenied' })
    await expect(viewer.list({ ...configMaps, plural: 'secrets' })).rejects.toMatchObject({ name: 'PermissionDenied' })
    const weak = altered(cluster, (kept) => {
      for (const entry of kept.users) entry.user = parse(kubeconfig).users[0].user
    })
    await forgetClusters(api, [view.uuid])
    const labelSelector = 'app.kubernetes.io/managed-by=fedplane'
    const bindings = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' }
    expect((await admin.list(bindings, { labelSelector })).items).toEqual([])
    const namespaces = { group: '', version: 'v1', plural: 'namespaces' }
    const left = (await admin.list(namespaces, { labelSelector })).items
    expect(left.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([])
    expect(await failure(weak), 'the token died with its account').toMatch(/401|credential/i)
    for (const client of [viewer, admin]) client.close()
  })

  it('tells a refused token from a certificate that is not trusted', async () => {
    const badToken = altered(cluster, (config) => {
      for (const entry of config.users) entry.user = { token: 'not-a-token' }
    })
    const otherCa = (await newAuthority('another CA')).certificatePem
    const wrongCa = altered(cluster, (config) => {
      for (const entry of config.clusters)
        entry.cluster['certificate-authority-data'] = Buffer.from(otherCa).toString('base64')
    })
    const [token, ca] = await Promise.all([failure(badToken), failure(wrongCa)])
    expect(token).toMatch(/401|credential/i)
    expect(ca).toMatch(/certificate/i)
    expect(token).not.toBe(ca)
    expect(token).not.toContain('not-a-token')
  })

  it('tells a closed port from a server that is not Kubernetes', async () => {
    const authority = await newAuthority('web CA')
    const { certificatePem, keyPem } = await authority.issue({ commonName: 'web', ipAddresses: ['127.0.0.1'] })
    server = createServer({ cert: certificatePem, key: keyPem }, (_, response) => response.end('<html>hello</html>'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const at = (port: number) =>
      altered(cluster, (config) => {
        for (const entry of config.clusters) {
          entry.cluster.server = `https://127.0.0.1:${port}`
          entry.cluster['certificate-authority-data'] = Buffer.from(authority.certificatePem).toString('base64')
        }
      })
    const [closed, web] = await Promise.all([
      failure(at(await freePort())),
      failure(at((server.address() as AddressInfo).port)),
    ])
    expect(closed).toMatch(/refused/i)
    expect(web).toMatch(/not a Kubernetes|Kubernetes API/i)
  })
})
