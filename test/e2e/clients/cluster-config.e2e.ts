import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../local/clusters/programs.ts'
import type { StartedCluster } from '../../../local/clusters/started-cluster.ts'
import type { ClusterSet } from '../../../local/clusters/take-clusters.ts'
import { Api } from '../../support/api/api.ts'
import { startTestClusters } from '../support/clusters.ts'
import { fedplaneAuthority } from '../support/signed-by-fedplane.ts'
import { Traffic } from './magnum-traffic.ts'
import { OpenStackCli } from './openstack-cli.ts'
import { type Server, startServer } from './server.ts'

describe('openstack coe cluster config, then kubectl, at a real API server', () => {
  let server: Server
  let set: ClusterSet<StartedCluster>
  let coe: OpenStackCli
  let api: Traffic

  beforeAll(async () => {
    server = await startServer()
    api = new Traffic(server.url)
    coe = await OpenStackCli.start({ OS_AUTH_TYPE: 'none', OS_ENDPOINT: `${server.url}/v1` })
    const port = await freePort()
    const labels = `memory-api-address=https://127.0.0.1:${port}`
    await coe.run(
      `cluster template create simulated --coe kubernetes --image none --external-network public --labels ${labels}`,
    )
    await coe.run('cluster create paris --cluster-template simulated')
    await api.settled('/v1/clusters/paris')
    const authority = await fedplaneAuthority(new Api(server.url), 'paris')
    set = await startTestClusters(1, { controllers: false, authority, port })
  })
  afterAll(async () => {
    await set?.close()
    await coe?.close()
    await server?.close()
  })

  it('lists namespaces as an administrator', async () => {
    const said = await coe.run('cluster config paris --dir', server.folder)
    const kubeconfig = said.trim().replace('export KUBECONFIG=', '')
    const kubectl = path.join(process.env.KUBEBUILDER_ASSETS ?? '', 'kubectl')
    const { stdout } = await promisify(execFile)(kubectl, ['get', 'namespaces', '-o', 'name'], {
      env: { PATH: process.env.PATH, HOME: server.folder, KUBECONFIG: kubeconfig },
    })
    expect(stdout.split('\n')).toContain('namespace/kube-system')
  })
})
