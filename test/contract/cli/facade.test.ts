import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANA_PASSWORD, type FacadeLab, startFacade } from '../../support/authorizer/facade.ts'
import { CommandLine } from '../../support/cli/command-line.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

/** The command line at the identity facade: as at any Keystone, by clouds.yaml. */
describe('fedplane --os-cloud', () => {
  let lab: FacadeLab
  let cli: CommandLine
  const auth = (password: string) => ({
    auth_url: `${lab.fedplane.url}/identity/v3`,
    username: 'ana',
    password,
    user_domain_name: 'Default',
    project_name: 'shop',
    project_domain_name: 'Default',
  })

  beforeAll(async () => {
    lab = await startFacade({ log: keptLog() })
    cli = new CommandLine()
    const folder = path.join(cli.home, '.config/openstack')
    mkdirSync(folder, { recursive: true })
    const clouds = { good: { auth: auth(ANA_PASSWORD) }, bad: { auth: auth('wrong') } }
    writeFileSync(path.join(folder, 'clouds.yaml'), JSON.stringify({ clouds }))
  })
  afterAll(async () => {
    await lab.close()
    cli.close()
  })

  it('logs in, and finds fedplane in the catalog', async () => {
    const { code, stdout, stderr } = await cli.run('--os-cloud good cluster list -o json')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({ clusters: [] })
  })

  it('is told in words that a password is wrong', async () => {
    const { code, stderr } = await cli.run('--os-cloud bad cluster list')
    expect(code).toBe(4)
    expect(stderr).not.toContain('wrong\n')
  })
})
