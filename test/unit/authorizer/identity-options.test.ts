import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { identityOptions } from '../../../local/authorizer/identity-options.ts'
import { makeCa } from '../../support/kubernetes/tls.ts'

const read = (environment: Record<string, string>) => identityOptions((name) => environment[name])

const KEYSTONE = 'https://keystone.example.org:5000/v3'
const ID = { FEDPLANE_KEYSTONE_APPLICATION_CREDENTIAL_ID: 'id' }
const SECRET = { FEDPLANE_KEYSTONE_APPLICATION_CREDENTIAL_SECRET: 'marker-secret' }
const USER = { FEDPLANE_KEYSTONE_USERNAME: 'fedplane', FEDPLANE_KEYSTONE_PASSWORD: 'marker-secret' }
const ISSUER = { FEDPLANE_OIDC_ISSUER: 'https://login.example.org/realms/a' }
const AUDIENCE = { FEDPLANE_OIDC_AUDIENCE: 'fedplane' }

const credentialOf = async (environment: Record<string, string>) => {
  const settings = read({ FEDPLANE_KEYSTONE_URL: KEYSTONE, ...environment })
  return settings?.keystone?.readCredential(AbortSignal.timeout(1_000))
}

describe('identityOptions', () => {
  it('are none without settings', () => {
    expect(read({})).toBeUndefined()
  })

  it('take an application credential, and hide its secret', async () => {
    const credential = await credentialOf({ ...ID, ...SECRET })
    expect(credential).toMatchObject({ application_credential_id: 'id' })
    expect(inspect(credential, { depth: 9, showHidden: true })).not.toContain('marker-secret')
  })

  it('take a user with the default domain', async () => {
    expect(await credentialOf({ ...USER, FEDPLANE_KEYSTONE_PROJECT_NAME: 'service' })).toMatchObject({
      username: 'fedplane',
      user_domain_name: 'Default',
      project_name: 'service',
      project_domain_name: 'Default',
    })
  })

  it('take the authorities of Keystone from a file, and the region of the cloud', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'fedplane-ca-'))
    const file = path.join(folder, 'ca.pem')
    const others = { FEDPLANE_KEYSTONE_URL: KEYSTONE, ...ID, ...SECRET, FEDPLANE_KEYSTONE_CA_FILE: file }
    const { certificatePem: pem } = await makeCa()
    writeFileSync(file, pem)
    expect(read({ ...others, FEDPLANE_KEYSTONE_REGION: 'north' })?.keystone).toMatchObject({
      caPem: pem,
      region: 'north',
    })
    writeFileSync(file, 'no certificate')
    expect(() => read(others)).toThrow(/FEDPLANE_KEYSTONE_CA_FILE is .*can't be read as certificates/)
    rmSync(folder, { recursive: true })
    expect(() => read(others)).toThrow(/FEDPLANE_KEYSTONE_CA_FILE is .*can't be read as certificates/)
  })

  it('take the roles of clusters', () => {
    const roles = { FEDPLANE_KEYSTONE_CLUSTER_ROLES: 'machines, creator' }
    const { keystone } = read({ FEDPLANE_KEYSTONE_URL: KEYSTONE, ...ID, ...SECRET, ...roles }) ?? {}
    expect(keystone?.clusterRoles).toEqual(['machines', 'creator'])
  })

  it('take an issuer, with names of claims', () => {
    expect(read({ ...ISSUER, ...AUDIENCE, FEDPLANE_OIDC_ROLES_CLAIM: 'realm_access.roles' })).toEqual({
      oidc: {
        issuer: ISSUER.FEDPLANE_OIDC_ISSUER,
        audience: 'fedplane',
        claims: { user: 'sub', project: 'project_id', roles: 'realm_access.roles' },
      },
    })
  })

  it.each<[Record<string, string>, RegExp]>([
    [{ FEDPLANE_KEYSTONE_URL: KEYSTONE }, /service credential.*FEDPLANE_KEYSTONE_USERNAME/],
    [{ FEDPLANE_KEYSTONE_URL: KEYSTONE, ...ID }, /service credential/],
    [{ FEDPLANE_KEYSTONE_URL: KEYSTONE, ...USER }, /FEDPLANE_KEYSTONE_PROJECT_NAME/],
    [{ FEDPLANE_KEYSTONE_URL: 'http://keystone.example.org', ...ID, ...SECRET }, /FEDPLANE_KEYSTONE_URL is no https/],
    [{ FEDPLANE_KEYSTONE_URL: 'keystone', ...ID, ...SECRET }, /FEDPLANE_KEYSTONE_URL is no https/],
    [{ FEDPLANE_KEYSTONE_URL: 'https://u:marker-secret@k.example.org', ...ID, ...SECRET }, /without user/],
    [
      { FEDPLANE_KEYSTONE_URL: KEYSTONE, ...ID, ...SECRET, FEDPLANE_KEYSTONE_CLUSTER_ROLES: 'member,Admin' },
      /FEDPLANE_KEYSTONE_CLUSTER_ROLES is .*not "admin"/,
    ],
    [{ FEDPLANE_KEYSTONE_URL: KEYSTONE, ...ID, ...SECRET, FEDPLANE_KEYSTONE_CLUSTER_ROLES: ' , ' }, /one role or more/],
    [ISSUER, /belong together/],
    [AUDIENCE, /belong together/],
    [{ FEDPLANE_OIDC_ISSUER: 'ftp://x', ...AUDIENCE }, /FEDPLANE_OIDC_ISSUER is no https/],
  ])('are refused in a sentence without secrets (%j)', (environment, message) => {
    expect(() => read(environment)).toThrow(
      expect.objectContaining({ name: 'OptionInvalid', message: expect.stringMatching(message) }),
    )
    expect(() => read(environment)).not.toThrow(/marker-secret/)
  })

  it.each(['http://127.0.0.1:5000', 'http://localhost/identity', 'http://[::1]:5000'])('allow %s', async (url) => {
    expect(read({ FEDPLANE_KEYSTONE_URL: url, ...ID, ...SECRET })?.keystone?.url).toBe(url)
  })
})
