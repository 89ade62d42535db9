import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import {
  HttpApi,
  type HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaAuthorizer, HttpLambdaResponseType } from 'aws-cdk-lib/aws-apigatewayv2-authorizers'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { AuthorizerEnv } from '../../functions/authorizer/env.schema.ts'
import { type KeysEnv, type Settings, type TableEnv, tableEnv } from '../../functions/runtime/env.ts'
import { NodeFunction } from '../constructs/node-function.ts'
import { grantEks, grantExecutions, grantSealing, grantSecret, machineArnPrefix } from '../grants.ts'
import { TIMEOUT_SECONDS } from '../limits.ts'
import { type GatewayRoute, gatewayPaths } from '../route-keys.ts'
import type { WorkerStackProps } from './worker-stack-props.ts'

export type ApiStackProps = WorkerStackProps & {
  routes: readonly GatewayRoute[]
  /** Base URL in links, for a domain of one's own. Default: the API's own endpoint. */
  publicUrl?: string
  /** Clusters that a project without a quota of its own may have. Default: 20. */
  clustersPerProject?: string
  /** Who vouches for callers (`identityContext`). */
  identity: AuthorizerEnv
  /** ARN of the customer managed key that encrypts the secret with Keystone's service credential. Default: AWS's own key. */
  keystoneSecretKeyArn?: string
}

/**
 * HTTP API with `$default` stage, so that paths are the same as locally. Functions are cut by privilege: `keys` alone has rights on the
 * key that opens credentials; `table` answers everything else, unknown paths too.
 */
export class ApiStack extends Stack {
  readonly #props: ApiStackProps
  readonly #api: HttpApi

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    this.#props = props
    this.#api = new HttpApi(this, 'api', { apiName: 'fedplane', createDefaultStage: false })
    this.#addStage()
    const table = this.#addTableFunction()
    const keys = this.#addKeysFunction()
    this.#addRoutes({ table, keys })
    new CfnOutput(this, 'url', { value: `${this.#publicUrl}/v1` })
  }

  get #publicUrl(): string {
    return this.#props.publicUrl ?? this.#api.apiEndpoint
  }

  #environment(): Settings<TableEnv> {
    return {
      TABLE_NAME: this.#props.data.table.tableName,
      STATE_MACHINE_ARN_PREFIX: machineArnPrefix(),
      PUBLIC_URL: this.#publicUrl,
      CLUSTERS_PER_PROJECT: tableEnv.shape.CLUSTERS_PER_PROJECT.parse(this.#props.clustersPerProject),
      KEYSTONE_URL: this.#props.identity.KEYSTONE_URL,
    }
  }

  #addTableFunction(): NodeFunction {
    const table = new NodeFunction(this, 'table', {
      folder: this.#props.folderOf('table'),
      description: 'fedplane: API routes without rights on keys',
      timeoutSeconds: TIMEOUT_SECONDS.table,
      environment: this.#environment(),
    })
    this.#props.data.table.grantReadWriteData(table)
    grantExecutions(table)
    return table
  }

  #addKeysFunction(): NodeFunction {
    const { data, folderOf, allowedNetworks, eks } = this.#props
    const environment: Settings<KeysEnv> = {
      ...this.#environment(),
      ALLOWED_NETWORKS: allowedNetworks,
      KMS_KEY_ARN: data.dataKeyKey.keyArn,
    }
    const keys = new NodeFunction(this, 'keys', {
      folder: folderOf('keys'),
      description: 'fedplane: API routes that seal or open credentials',
      timeoutSeconds: TIMEOUT_SECONDS.keys,
      environment,
    })
    data.table.grantReadWriteData(keys)
    grantExecutions(keys)
    grantSealing(data.dataKeyKey, keys)
    grantEks(keys, eks)
    return keys
  }

  /** Without identity source and cache: a denial by the gateway would be 403 where Magnum's clients need 401 to log in again. */
  #authorizer(): HttpLambdaAuthorizer {
    const { folderOf, identity, keystoneSecretKeyArn } = this.#props
    const authorizer = new NodeFunction(this, 'authorizer', {
      folder: folderOf('authorizer'),
      description: 'fedplane: token to principal',
      timeoutSeconds: TIMEOUT_SECONDS.authorizer,
      environment: identity,
    })
    if (identity.KEYSTONE_SECRET_ARN !== '') {
      grantSecret(authorizer, identity.KEYSTONE_SECRET_ARN, keystoneSecretKeyArn)
    }
    return new HttpLambdaAuthorizer('principal', authorizer, {
      responseTypes: [HttpLambdaResponseType.SIMPLE],
      identitySource: [],
      resultsCacheTtl: Duration.seconds(0),
    })
  }

  #addRoutes(functions: { table: NodeFunction; keys: NodeFunction }): void {
    const integrations = {
      table: new HttpLambdaIntegration('table-integration', functions.table),
      keys: new HttpLambdaIntegration('keys-integration', functions.keys),
    }
    const principal = this.#authorizer()
    const nobody = new HttpNoneAuthorizer()
    for (const route of this.#props.routes) {
      for (const path of gatewayPaths(route)) {
        this.#api.addRoutes({
          path,
          methods: [route.method as HttpMethod],
          integration: integrations[route.access === 'keys' ? 'keys' : 'table'],
          authorizer: route.access === 'none' ? nobody : principal,
        })
      }
    }
    new HttpRoute(this, 'default-route', {
      httpApi: this.#api,
      routeKey: HttpRouteKey.DEFAULT,
      integration: integrations.table,
      authorizer: principal,
    })
  }

  #addStage(): void {
    const logs = new LogGroup(this, 'access-logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    new HttpStage(this, 'stage', {
      httpApi: this.#api,
      stageName: '$default',
      autoDeploy: true,
      detailedMetricsEnabled: true,
      accessLogSettings: { destination: new LogGroupLogDestination(logs) },
    })
  }
}
