import { Aws, CfnOutput, Duration, RemovalPolicy } from 'aws-cdk-lib'
import {
  AccountRecovery,
  ClientAttributes,
  Mfa,
  StringAttribute,
  UserPool,
  UserPoolClient,
  UserPoolGroup,
} from 'aws-cdk-lib/aws-cognito'
import { Construct } from 'constructs'
import { ROLES } from '../../functions/core/values/identity.ts'
import { acknowledge } from '../acknowledge.ts'
import type { Installation } from '../installation.ts'
import type { DeploymentSettings } from '../settings/settings.schema.ts'

/** Attribute of a user with the project. Only an administrator of the pool sets it: the client may write none. */
const PROJECT = 'project_id'
const TOKEN_LIFE = Duration.hours(1)
const PASSWORD_LENGTH_MIN = 15

/**
 * A Cognito user pool, where there is no identity provider of one's own. A user's project is an attribute, their roles are groups; both are in their id
 * token, which the authorizer takes as that of any OIDC issuer.
 */
export class Users extends Construct {
  /** Settings that name the pool as the issuer. */
  readonly issuer: Pick<
    DeploymentSettings,
    'oidcIssuer' | 'oidcAudience' | 'oidcUserClaim' | 'oidcProjectClaim' | 'oidcRolesClaim'
  >

  constructor(scope: Construct, id: string, { settings }: Pick<Installation, 'settings'>) {
    super(scope, id)
    const pool = this.#addPool(settings)
    const client = new UserPoolClient(this, 'client', {
      userPool: pool,
      authFlows: { userPassword: true, userSrp: true },
      disableOAuth: true,
      preventUserExistenceErrors: true,
      enableTokenRevocation: true,
      idTokenValidity: TOKEN_LIFE,
      accessTokenValidity: TOKEN_LIFE,
      readAttributes: new ClientAttributes().withStandardAttributes({ email: true }).withCustomAttributes(PROJECT),
      // Else users could choose their project.
      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true }),
    })
    for (const groupName of ROLES) new UserPoolGroup(this, `${groupName}-group`, { userPool: pool, groupName })
    this.issuer = {
      oidcIssuer: `https://cognito-idp.${Aws.REGION}.amazonaws.com/${pool.userPoolId}`,
      oidcAudience: client.userPoolClientId,
      oidcUserClaim: 'sub',
      oidcProjectClaim: `custom:${PROJECT}`,
      oidcRolesClaim: 'cognito:groups',
    }
    new CfnOutput(this, 'user-pool', { value: pool.userPoolId }).overrideLogicalId('userpool')
    new CfnOutput(this, 'user-pool-client', { value: client.userPoolClientId }).overrideLogicalId('userpoolclient')
  }

  #addPool({ removalPolicy }: DeploymentSettings): UserPool {
    const retain = removalPolicy === 'retain'
    const pool = new UserPool(this, 'pool', {
      selfSignUpEnabled: false,
      signInAliases: { username: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { sms: false, otp: true },
      passwordPolicy: {
        minLength: PASSWORD_LENGTH_MIN,
        requireDigits: true,
        requireLowercase: true,
        requireSymbols: true,
        requireUppercase: true,
      },
      customAttributes: { [PROJECT]: new StringAttribute({ minLen: 1, maxLen: 255, mutable: true }) },
      deletionProtection: retain,
      removalPolicy: retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    acknowledge(pool, 'AwsSolutions-COG2', 'Programs log in with a password; people may add a second factor.')
    acknowledge(pool, 'AwsSolutions-COG3', 'Threat protection costs by the user; an operator may switch the plan.')
    acknowledge(pool, 'AwsSolutions-COG8', 'The plan that costs by the user is for the operator to choose.')
    return pool
  }
}
