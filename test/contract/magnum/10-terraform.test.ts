import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CloudLab, openCloudLab } from '../../support/cloud/cloud-lab.ts'
import type { Send } from '../../support/terraform/provider.ts'
import { runTerraformStory } from '../../support/terraform/story.ts'

/** With a driver that makes nodes and needs a cloud; capi@1 gets the same traffic in its own end-to-end tests. */
let cloud: CloudLab
beforeAll(async () => {
  cloud = await openCloudLab()
})
afterAll(() => cloud.dispose())
beforeEach(() => cloud.reset())

/** As ana's provider does, with the token that it got from Keystone. */
const send: Send = (method, path, { microversion, body } = {}) =>
  cloud.call(method, path, { by: 'ana', microversion: microversion ?? null, ...(body === undefined ? {} : { body }) })

const template = (name: string, version: string) => ({ name, image_id: 'ubuntu', labels: { kube_tag: version } })

describe('section 10.3: the traffic of terraform-provider-openstack', () => {
  it('makes, changes, upgrades and destroys a cluster with node groups, and leaves nothing behind', async () => {
    const seen: string[] = []
    const id = await runTerraformStory(send, {
      templates: [template('old', 'v1.35.0'), template('new', 'v1.36.0')],
      upgradedVersion: 'v1.36.0',
      pollMs: 50,
      reached: (step) => {
        seen.push(step)
        // A later observation counts only when it is later, and this clock stands still by itself.
        cloud.lab.clock.advance(1000)
      },
    })
    expect(seen).toEqual(['created', 'node groups created', 'resized', 'upgraded'])
    expect(await cloud.lab.ports.stores.clusters.get({ projectId: 'blue', id })).toBeUndefined()
    expect(cloud.namesOf('ana')).toEqual([])
  })

  it('stops as the provider does when a change fails', async () => {
    cloud.lab.clusters.before = ({ name }) => {
      if (name === 'ensure:upgrade') throw new Error('a fault of the driver')
    }
    const story = runTerraformStory(send, {
      templates: [template('old-2', 'v1.35.0'), template('new-2', 'v1.36.0')],
      upgradedVersion: 'v1.36.0',
      pollMs: 50,
    })
    await expect(story).rejects.toThrow(/is UPDATE_FAILED: .*StepFailed/)
  })
})
