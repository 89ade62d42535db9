import { CfnOutput } from 'aws-cdk-lib'
import { HttpApi, type HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Installation } from '../installation.ts'
import { type GatewayRoute, gatewayPaths } from '../route-keys.ts'
import { GatewayStage } from './gateway-stage.ts'

export type SignedApiProps = {
  installation: Installation
  routes: readonly GatewayRoute[]
  /** The functions of the other API, by the version that is live. */
  functions: { table: IFunction; keys: IFunction }
}

/**
 * The API a second time, for callers with credentials of AWS: API Gateway checks the signature of each request (SigV4) and that its caller may
 * `execute-api:Invoke`, and tells the functions their ARN. Which project and roles an ARN has, the setting `awsCallers` says. An API of its own, since a
 * route has one authorizer.
 */
export class SignedApi extends Construct {
  readonly apiId: string
  readonly accessLogs: ILogGroup

  constructor(scope: Construct, id: string, { installation, routes, functions }: SignedApiProps) {
    super(scope, id)
    const authorizer = new HttpIamAuthorizer()
    const api = new HttpApi(this, 'api', { apiName: 'fedplane-signed', createDefaultStage: false })
    this.apiId = api.apiId
    this.accessLogs = new GatewayStage(this, 'stage', { api, installation }).accessLogs
    // One permission for each function: two for each route would make a policy that is too long.
    const options = { scopePermissionToRoute: false }
    const integrations = {
      table: new HttpLambdaIntegration('signed-table-integration', functions.table, options),
      keys: new HttpLambdaIntegration('signed-keys-integration', functions.keys, options),
    }
    // The table function serves all that is left, so that only what needs the other has routes.
    for (const route of routes.filter(({ access }) => access === 'keys')) {
      for (const path of gatewayPaths(route)) {
        api.addRoutes({ path, methods: [route.method as HttpMethod], integration: integrations.keys, authorizer })
      }
    }
    new HttpRoute(this, 'default-route', {
      httpApi: api,
      routeKey: HttpRouteKey.DEFAULT,
      integration: integrations.table,
      authorizer,
    })
    new CfnOutput(this, 'signed-url', {
      value: `${api.apiEndpoint}/v1`,
      description: 'The API for callers with credentials of AWS (SigV4, service execute-api).',
    }).overrideLogicalId('signedurl')
  }
}
