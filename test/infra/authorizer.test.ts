import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../functions/api/routes.ts'
import { authorizerEnv } from '../../functions/authorizer/env.schema.ts'
import { addFedplane } from '../../infra/fedplane.ts'
import { IDENTITY_CONTEXT, identityProps } from '../../infra/identity-context.ts'

const SECRET_ARN = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:fedplane/keystone-a1B2c3'
const KEY_ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
const KEYSTONE = { keystoneUrl: 'https://keystone.example.org:5000/v3', keystoneSecretArn: SECRET_ARN }
const OIDC = { oidcIssuer: 'https://login.example.org', oidcAudience: 'fedplane' }

let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-authorizer-'))
  writeFileSync(path.join(folder, 'index.js'), 'exports.handler = async () => ({})')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** With one route: the rest is the same for all of them. */
const add = (identity: Record<string, string>): Template => {
  const app = new App({ analyticsReporting: false })
  return Template.fromStack(addFedplane(app, { folderOf: () => folder, routes: ROUTES.slice(0, 1), identity }).api)
}

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

describe('identity providers of the context', () => {
  it('become the settings of the authorizer and its right on one secret, and Keystone is named to clients', () => {
    const template = add({ ...KEYSTONE, ...OIDC, oidcRolesClaim: 'realm_access.roles', keystoneSecretKeyArn: KEY_ARN })
    const functions = functionsOf(template)
    expect(functions.get('fedplane: token to principal')).toEqual({
      KEYSTONE_URL: KEYSTONE.keystoneUrl,
      KEYSTONE_SECRET_ARN: SECRET_ARN,
      OIDC_ISSUER: OIDC.oidcIssuer,
      OIDC_AUDIENCE: OIDC.oidcAudience,
      OIDC_USER_CLAIM: 'sub',
      OIDC_PROJECT_CLAIM: 'project_id',
      OIDC_ROLES_CLAIM: 'realm_access.roles',
    })
    const keystoneUrls = [...functions.values()].map((variables) => variables.KEYSTONE_URL)
    expect(keystoneUrls).toEqual(keystoneUrls.map(() => KEYSTONE.keystoneUrl))
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

  it.each([
    [{ keystoneUrl: KEYSTONE.keystoneUrl }, /^The context keystoneSecretArn is missing or malformed\./],
    [{ keystoneSecretArn: SECRET_ARN }, /^The context keystoneUrl is/],
    [{ ...KEYSTONE, keystoneUrl: 'http://keystone.example.org' }, /^The context keystoneUrl is/],
    [{ ...KEYSTONE, keystoneSecretArn: 'fedplane/keystone' }, /^The context keystoneSecretArn is/],
    [{ ...KEYSTONE, keystoneSecretArn: SECRET_ARN.replace('-a1B2c3', '') }, /^The context keystoneSecretArn is/],
    [{ ...KEYSTONE, keystoneSecretKeyArn: 'alias/key' }, /^The context keystoneSecretKeyArn is/],
    [{ oidcIssuer: OIDC.oidcIssuer }, /^The context oidcAudience is/],
    [{ ...OIDC, oidcIssuer: 'login.example.org' }, /^The context oidcIssuer is/],
  ])('fail the synthesis in a sentence when they are wrong (%j)', (identity, message) => {
    expect(() => identityProps(identity)).toThrow(message)
    expect(Object.keys(identity).filter((name) => !IDENTITY_CONTEXT.includes(name))).toEqual([])
  })
})
