import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { overHttp } from '../../support/terraform/provider.ts'
import { runTerraformStory } from '../../support/terraform/story.ts'
import { type Server, startServer } from './server.ts'

/** magnum-rest.md 10.3: the requests of terraform-provider-openstack against a server of its own, for clusters that memory@1 simulates. */
describe('the traffic of terraform-provider-openstack', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer()
  }, 30_000)
  afterAll(() => server.close())

  it('lives a whole life over HTTP', async () => {
    const template = (name: string, version: string) => ({
      name,
      driver: 'memory@1',
      image_id: 'ubuntu',
      labels: { kube_tag: version },
    })
    const id = await runTerraformStory(overHttp(server.url), {
      templates: [template('old', 'v1.35.0'), template('new', 'v1.36.0')],
      upgradedVersion: 'v1.36.0',
      pollMs: 200,
    })
    expect((await fetch(`${server.url}/v1/clusters/${id}`)).status).toBe(404)
  }, 120_000)
})
