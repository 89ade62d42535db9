import { afterEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../../functions/core/values/secret.ts'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import type { ClusterDriver } from '../../../../functions/drivers/contract/cluster-driver.ts'
import { secrets } from '../../../../functions/kubernetes/resources.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

/** The cloud's own authority has changed too: whatever talks to it has to trust the new one (cluster-api.md section 7, row 16). */
const NEW_CA = 'another authority'

/** Rule C28: whatever makes the machines has what `cloudCredential()` gives, at a deletion before anything is removed with it. */
describe('capi@1 hands on the credential of the cloud', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const another = async (): Promise<Secret> =>
    new Secret(
      JSON.stringify({
        authUrl: 'https://keystone.example.org/v3',
        region: 'north',
        applicationCredentialId: 'credential-of-ben',
        applicationCredentialSecret: 'other secret',
        caPem: NEW_CA,
      }),
    )

  const told = async (file: string): Promise<string> => {
    const { items } = await lab.site.admin.list(secrets('fedplane-local'))
    const data = items.map((item) => (item as { data?: Record<string, string> }).data?.[file])
    return data.map((text) => Buffer.from(text ?? '', 'base64').toString()).join('')
  }

  const cloudsYaml = () => told('clouds.yaml')

  const made = async (): Promise<ClusterLife> => {
    lab = await openCapiLab({ infrastructure: 'openstack' })
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    expect(await cloudsYaml()).toContain('"credential"')
    lab.management.cloudCredential = another
    return life
  }

  it('when it is rotated', async () => {
    const life = await made()
    expect(await told('cacert')).toBe('')
    await life.perform({ kind: 'rotate-credential' })
    expect(await cloudsYaml()).toContain('credential-of-ben')
    expect(await told('cacert')).toBe(NEW_CA)
  })

  it('before a cluster is taken down', async () => {
    const life = await made()
    const seen: string[] = []
    const [first, ...rest] = capiV1.phases.delete
    if (first === undefined) throw new Error('the plan is empty')
    const looking = rest.map((phase) => ({
      ...phase,
      ensure: async (context: Parameters<typeof phase.ensure>[0]) => {
        seen.push(await cloudsYaml())
        return phase.ensure(context)
      },
    }))
    const driver: ClusterDriver = { ...capiV1, phases: { ...capiV1.phases, delete: [first, ...looking] } }
    const going = new ClusterLife(driver, lab)
    going.cluster = life.cluster
    await going.delete()
    expect(seen[0]).toContain('credential-of-ben')
    expect(await cloudsYaml()).toBe('')
  })

  it('not where there is none any more', async () => {
    const life = await made()
    lab.management.cloudCredential = async () => undefined
    await life.delete()
    expect(await cloudsYaml()).toBe('')
  })
})
