import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../../functions/identity/password.ts'
import { cleanEnvironment } from './python-environment.ts'
import { type Server, startServer } from './server.ts'

const run = promisify(execFile)
const PASSWORD = 'correct horse battery staple'
const PROVIDER = 'github.com/terraform-provider-openstack/terraform-provider-openstack/v3@v3.4.0'
/** Built once, in about a minute, of the sources that the module proxy has: the registry of providers is not needed. */
const BIN = path.resolve(
  import.meta.dirname,
  '../../../node_modules/.cache/fedplane-go/terraform-provider-openstack-3.4.0',
)

const NO_TERRAFORM =
  'This test runs Terraform with the OpenStack provider as they are. It needs `terraform` 1.5 or newer and Go 1.25 or newer on PATH, and a module proxy.'

const CONFIGURATION = `
terraform {
  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack" }
  }
}
provider "openstack" {}
resource "openstack_containerinfra_clustertemplate_v1" "small" {
  name   = "small"
  coe    = "kubernetes"
  image  = "none"
  labels = { kube_tag = "v1.35.0" }
}
resource "openstack_identity_application_credential_v3" "ci" {
  name  = "ci"
  roles = ["reader"]
}
data "openstack_containerinfra_clustertemplate_v1" "again" {
  name = openstack_containerinfra_clustertemplate_v1.small.name
}
output "id" { value = data.openstack_containerinfra_clustertemplate_v1.again.id }
output "credential" { value = openstack_identity_application_credential_v3.ci.id }
output "secret" {
  value     = openstack_identity_application_credential_v3.ci.secret
  sensitive = true
}
`

describe('Terraform', () => {
  let folder: string
  let server: Server
  let environment: Record<string, string>

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'fedplane-terraform-'))
    mkdirSync(BIN, { recursive: true })
    const build = { ...cleanEnvironment(), GOBIN: BIN }
    await run('go', ['install', PROVIDER], { cwd: folder, env: build, maxBuffer: 64 << 20 }).catch((cause: Error) => {
      throw new Error(`${NO_TERRAFORM}\n${cause.message}`, { cause })
    })
    const users = path.join(folder, 'users.yaml')
    const password = await hashPassword(PASSWORD)
    const projects = [{ name: 'shop', roles: ['member', 'reader'] }]
    writeFileSync(users, JSON.stringify({ users: [{ name: 'ana', password, projects }] }), { mode: 0o600 })
    server = await startServer(undefined, { FEDPLANE_USERS: users })
    writeFileSync(path.join(folder, 'main.tf'), CONFIGURATION)
    const override = `dev_overrides { "terraform-provider-openstack/openstack" = ${JSON.stringify(BIN)} }`
    writeFileSync(path.join(folder, 'rc'), `provider_installation {\n  ${override}\n  direct {}\n}\n`)
    environment = {
      ...cleanEnvironment(),
      TF_CLI_CONFIG_FILE: path.join(folder, 'rc'),
      CHECKPOINT_DISABLE: '1',
      OS_AUTH_URL: `${server.url}/identity/v3`,
      OS_REGION_NAME: 'RegionOne',
    }
  }, 600_000)
  afterAll(async () => {
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const terraform = async (args: string[], login: Record<string, string>): Promise<string> => {
    const options = { cwd: folder, env: { ...environment, ...login } }
    return (await run('terraform', [...args, '-no-color'], options)).stdout
  }
  const byPassword = {
    OS_USERNAME: 'ana',
    OS_PASSWORD: PASSWORD,
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_NAME: 'shop',
    OS_PROJECT_DOMAIN_NAME: 'Default',
  }

  it('logs in with a password, makes a template and an application credential, logs in with that, and destroys both', async () => {
    await terraform(['apply', '-auto-approve'], byPassword)
    const outputs = JSON.parse(await terraform(['output', '-json'], byPassword)) as Record<string, { value: string }>
    const byCredential = {
      OS_AUTH_TYPE: 'v3applicationcredential',
      OS_APPLICATION_CREDENTIAL_ID: outputs.credential?.value ?? '',
      OS_APPLICATION_CREDENTIAL_SECRET: outputs.secret?.value ?? '',
    }
    // A reader sees that nothing has changed, and changes nothing.
    const target = ['-target', 'data.openstack_containerinfra_clustertemplate_v1.again']
    expect(await terraform(['plan', ...target], byCredential)).toContain('No changes')
    await terraform(['destroy', '-auto-approve'], byPassword)
    expect(await terraform(['show'], byPassword)).toContain('state file is empty')
  })

  it('says in words that a password is wrong', async () => {
    const wrong = terraform(['apply', '-auto-approve'], { ...byPassword, OS_PASSWORD: 'wrong' })
    await expect(wrong).rejects.toThrow(/requires authentication/)
  })
})
