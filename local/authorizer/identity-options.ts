import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIdentityUrl, type KeystoneCredential } from '../../functions/authorizer/settings.schema.ts'
import {
  DEFAULT_CLAIMS,
  type IdentitySettings,
  type KeystoneSettings,
  type OidcSettings,
} from '../../functions/authorizer/settings.ts'
import { DEFAULT_CLUSTER_ROLES, isAdminRole } from '../../functions/core/values/identity.ts'
import { Secret } from '../../functions/core/values/secret.ts'
import { OptionInvalid } from '../option-invalid.ts'

/** A setting by its name; undefined when it is absent or empty. */
type Setting = (name: string) => string | undefined

const urlOf = (name: string, text: string): string => {
  if (isIdentityUrl(text)) return text
  // Not shown: it may hold a password.
  throw new OptionInvalid(`${name} is no https URL (http is for loopback only) without user, query and fragment.`)
}

const CREDENTIAL_MISSING =
  'FEDPLANE_KEYSTONE_URL needs a service credential that may validate tokens. Set FEDPLANE_KEYSTONE_APPLICATION_CREDENTIAL_ID and FEDPLANE_KEYSTONE_APPLICATION_CREDENTIAL_SECRET, or FEDPLANE_KEYSTONE_USERNAME, FEDPLANE_KEYSTONE_PASSWORD and FEDPLANE_KEYSTONE_PROJECT_NAME.'

const credentialOf = (setting: Setting): KeystoneCredential => {
  const id = setting('FEDPLANE_KEYSTONE_APPLICATION_CREDENTIAL_ID')
  const secret = setting('FEDPLANE_KEYSTONE_APPLICATION_CREDENTIAL_SECRET')
  if (id && secret) return { application_credential_id: id, application_credential_secret: new Secret(secret) }
  const username = setting('FEDPLANE_KEYSTONE_USERNAME')
  const password = setting('FEDPLANE_KEYSTONE_PASSWORD')
  const project_name = setting('FEDPLANE_KEYSTONE_PROJECT_NAME')
  if (!username || !password || !project_name) throw new OptionInvalid(CREDENTIAL_MISSING)
  return {
    username,
    password: new Secret(password),
    user_domain_name: setting('FEDPLANE_KEYSTONE_USER_DOMAIN_NAME') ?? 'Default',
    project_name,
    project_domain_name: setting('FEDPLANE_KEYSTONE_PROJECT_DOMAIN_NAME') ?? 'Default',
  }
}

const caOf = (file: string): string => {
  try {
    const pem = readFileSync(file, 'utf8')
    new X509Certificate(pem)
    return pem
  } catch (cause) {
    throw new OptionInvalid(
      `FEDPLANE_KEYSTONE_CA_FILE is ${JSON.stringify(file)}, which can't be read as certificates. Give it a PEM file with the authorities of Keystone.`,
      { cause },
    )
  }
}

const rolesOf = (text: string): string[] => {
  const roles = text.split(',').flatMap((part) => part.trim() || [])
  if (roles.length > 0 && !roles.some(isAdminRole)) return roles
  throw new OptionInvalid(
    `FEDPLANE_KEYSTONE_CLUSTER_ROLES is ${JSON.stringify(text)}. Name one role or more, separated by commas, and not "admin".`,
  )
}

const keystoneOf = (setting: Setting): KeystoneSettings | undefined => {
  const url = setting('FEDPLANE_KEYSTONE_URL')
  if (url === undefined) return
  const credential = credentialOf(setting)
  const caFile = setting('FEDPLANE_KEYSTONE_CA_FILE')
  const region = setting('FEDPLANE_KEYSTONE_REGION')
  const roles = setting('FEDPLANE_KEYSTONE_CLUSTER_ROLES')
  return {
    url: urlOf('FEDPLANE_KEYSTONE_URL', url),
    ...(caFile === undefined ? {} : { caPem: caOf(caFile) }),
    ...(region === undefined ? {} : { region }),
    ...(roles === undefined ? {} : { clusterRoles: rolesOf(roles) }),
    readCredential: async () => credential,
  }
}

const oidcOf = (setting: Setting): OidcSettings | undefined => {
  const issuer = setting('FEDPLANE_OIDC_ISSUER')
  const audience = setting('FEDPLANE_OIDC_AUDIENCE')
  if (issuer === undefined && audience === undefined) return
  if (issuer === undefined || audience === undefined) {
    throw new OptionInvalid('FEDPLANE_OIDC_ISSUER and FEDPLANE_OIDC_AUDIENCE belong together. Set both, or neither.')
  }
  return {
    issuer: urlOf('FEDPLANE_OIDC_ISSUER', issuer),
    audience,
    claims: {
      user: setting('FEDPLANE_OIDC_USER_CLAIM') ?? DEFAULT_CLAIMS.user,
      project: setting('FEDPLANE_OIDC_PROJECT_CLAIM') ?? DEFAULT_CLAIMS.project,
      roles: setting('FEDPLANE_OIDC_ROLES_CLAIM') ?? DEFAULT_CLAIMS.roles,
    },
  }
}

/**
 * Identity providers of the environment: `FEDPLANE_KEYSTONE_*`, `FEDPLANE_OIDC_*` (docs/authentication.md). Undefined when there are none.
 *
 * @throws OptionInvalid without the value of any setting
 */
export const identityOptions = (setting: Setting): IdentitySettings | undefined => {
  const keystone = keystoneOf(setting)
  const oidc = oidcOf(setting)
  if (!keystone && !oidc) return
  return { ...(keystone ? { keystone } : {}), ...(oidc ? { oidc } : {}) }
}

/** Lines of the help text. */
export const IDENTITY_HELP = `  FEDPLANE_KEYSTONE_URL       accepts Keystone tokens (X-Auth-Token); needs a service credential (docs/authentication.md)
  FEDPLANE_KEYSTONE_CA_FILE   PEM file with the only authorities that may vouch for Keystone (default those that everybody trusts)
  FEDPLANE_KEYSTONE_REGION    region of the cloud in which clusters have their machines (default the only one there is)
  FEDPLANE_KEYSTONE_CLUSTER_ROLES  roles that clusters get in their application credentials (default ${DEFAULT_CLUSTER_ROLES.join(',')})
  FEDPLANE_OIDC_ISSUER        accepts JWTs of this issuer (Authorization: Bearer) for FEDPLANE_OIDC_AUDIENCE`
