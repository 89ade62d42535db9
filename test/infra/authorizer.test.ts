import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { authorizerEnv } from '../../functions/authorizer/env.schema.ts'
import type { DeploymentConfig } from '../../infra/settings/settings.schema.ts'
import { FEW_ROUTES, templatesOf } from '../support/infra/synthesised.ts'

const SECRET_ARN = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:fedplane/keystone-a1B2c3'
const KEY_ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
const KEYSTONE = { keystoneUrl: 'https://keystone.example.org:5000/v3', keystoneSecretArn: SECRET_ARN }
const OIDC = { oidcIssuer: 'https://login.example.org', oidcAudience: 'fedplane' }

const add = (config: DeploymentConfig): Template => templatesOf({ config, routes: FEW_ROUTES }).api

type Fields = Record<string, unknown>

const functionsOf = (template: Template): Map<unknown, Fields> =>
  new Map(
    Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) => [
      Properties.Description,
      Properties.Environment?.Variables ?? {},
    ]),
  )

/** What the authorizer may do beyond logs and traces. */
const rightsOf = (template: Template): Fields[] =>
  Object.values(template.findResources('AWS::IAM::Policy'))
    .filter(({ Properties }) => /authorizer/.test(JSON.stringify(Properties.Roles)))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Fields[])
    .filter(({ Action }) => !/logs:|xray:/.test(JSON.stringify(Action)))

describe('identity providers of the settings', () => {
  it('become the settings of the authorizer and its right on one secret, and Keystone is named to clients', () => {
    const template = add({ ...KEYSTONE, ...OIDC, oidcRolesClaim: 'realm_access.roles', keystoneSecretKeyArn: KEY_ARN })
    const functions = functionsOf(template)
    expect(functions.get('fedplane: token to principal')).toEqual({
      KEYSTONE_URL: KEYSTONE.keystoneUrl,
      KEYSTONE_CA_PEM: '',
      KEYSTONE_SECRET_ARN: SECRET_ARN,
      IDENTITY_USERS_ARN: '',
      IDENTITY_TOKEN_KEY_ARN: '',
      TABLE_NAME: '',
      OIDC_ISSUER: OIDC.oidcIssuer,
      OIDC_AUDIENCE: OIDC.oidcAudience,
      OIDC_USER_CLAIM: 'sub',
      OIDC_PROJECT_CLAIM: 'project_id',
      OIDC_ROLES_CLAIM: 'realm_access.roles',
    })
    const keystoneUrls = [...functions.values()].map((variables) => variables.KEYSTONE_URL)
    // The authorizer and the API's; what reserves concurrency speaks to nobody.
    expect(keystoneUrls.filter(Boolean)).toEqual(
      Array.from({ length: keystoneUrls.length - 1 }, () => KEYSTONE.keystoneUrl),
    )
    const condition = { StringEquals: { 'kms:EncryptionContext:SecretARN': SECRET_ARN } }
    expect(rightsOf(template)).toEqual([
      { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: SECRET_ARN },
      { Effect: 'Allow', Action: 'kms:Decrypt', Resource: KEY_ARN, Condition: condition },
    ])
  })

  it('set all that the authorizer reads when there are none, and give no right', () => {
    const template = add({})
    const variables = functionsOf(template).get('fedplane: token to principal') ?? {}
    expect(Object.keys(variables).sort()).toEqual(Object.keys(authorizerEnv.shape).sort())
    expect(authorizerEnv.parse(variables)).toEqual(variables)
    expect(rightsOf(template)).toEqual([])
  })
})
