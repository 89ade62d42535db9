import type { CfnStage, HttpApi, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpMethod, HttpNoneAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import type { IdentityEnv, TokenAuthorityEnv } from '../../functions/identity-api/env.schema.ts'
import { acknowledge } from '../acknowledge.ts'
import { grantIdentityItems, grantSecret } from '../grants.ts'
import { oidcEnvironment } from '../identity-environment.ts'
import type { Installation } from '../installation.ts'
import { LOGIN_THROTTLE } from '../limits.ts'
import { liveAlias } from './live-alias.ts'
import { NodeFunction } from './node-function.ts'

/** A whole core, which is what a password takes (half a second), and room for its 64 MiB. */
const MEMORY_MIB = 1_769
/** Characters of the key that tokens are signed with: more than the 256 bits of its hash. */
const TOKEN_KEY_CHARACTERS = 64

const PATHS = ['/identity', '/identity/{proxy+}']

export type IdentityFacadeProps = { installation: Installation; usersSecretArn: string; publicUrl: string }

/**
 * The identity facade: a function of its own, which alone knows of passwords, and the key of its tokens. It has rights on its own items and two secrets,
 * and none on what projects have.
 */
export class IdentityFacade extends Construct {
  /** What tokens are checked with. */
  readonly environment: TokenAuthorityEnv
  readonly #installation: Installation
  readonly #usersSecretArn: string
  readonly #function: NodeFunction

  constructor(scope: Construct, id: string, { installation, usersSecretArn, publicUrl }: IdentityFacadeProps) {
    super(scope, id)
    this.#installation = installation
    this.#usersSecretArn = usersSecretArn
    const tokenKey = new Secret(this, 'token-key', {
      description: 'fedplane: signs tokens of the identity facade',
      generateSecretString: { passwordLength: TOKEN_KEY_CHARACTERS, excludePunctuation: true },
    })
    acknowledge(
      tokenKey,
      'AwsSolutions-SMG4',
      'Another value ends all sessions, within a minute: that is for whoever has reason to, and tokens live an hour.',
    )
    this.environment = {
      TABLE_NAME: installation.data.table.tableName,
      IDENTITY_USERS_ARN: usersSecretArn,
      // Its ARN as `Ref` is on AWS; the emulator of the tests has that here only.
      IDENTITY_TOKEN_KEY_ARN: (tokenKey.node.defaultChild as CfnSecret).attrId,
    }
    const environment: IdentityEnv = {
      ...this.environment,
      PUBLIC_URL: publicUrl,
      ...oidcEnvironment(installation.settings),
    }
    this.#function = new NodeFunction(this, 'identity', {
      installation,
      kind: 'identity',
      description: 'fedplane: logins in the place of Keystone',
      environment,
      memoryMiB: MEMORY_MIB,
    })
    this.grantChecks(this.#function)
    grantIdentityItems(this.#function, installation.data, 'write')
  }

  /** Lets a function check tokens: users, key and revocations. */
  grantChecks(grantee: NodeFunction): void {
    const { settings, data } = this.#installation
    grantSecret(grantee, this.#usersSecretArn, settings.identityUsersSecretKeyArn)
    grantSecret(grantee, this.environment.IDENTITY_TOKEN_KEY_ARN)
    if (grantee !== this.#function) grantIdentityItems(grantee, data, 'read')
  }

  /** Routes without authorizer: logins come before tokens, and the facade checks those that it is sent itself. */
  addRoutes(api: HttpApi, stage: HttpStage): void {
    const integration = new HttpLambdaIntegration(
      'identity-integration',
      liveAlias(this.#function, this.#installation.settings),
    )
    const limit = {
      ThrottlingRateLimit: LOGIN_THROTTLE.rateLimit,
      ThrottlingBurstLimit: LOGIN_THROTTLE.burstLimit,
    }
    for (const path of PATHS) {
      const routes = api.addRoutes({
        path,
        methods: [HttpMethod.ANY],
        integration,
        authorizer: new HttpNoneAuthorizer(),
      })
      for (const route of routes) {
        acknowledge(route, 'AwsSolutions-APIG4', 'Logins come before tokens; the facade checks tokens itself.')
        // The gateway knows no settings of a route that is not there yet.
        stage.node.addDependency(route)
      }
    }
    const { defaultChild } = stage.node
    ;(defaultChild as CfnStage).routeSettings = Object.fromEntries(PATHS.map((path) => [`ANY ${path}`, limit]))
  }
}
