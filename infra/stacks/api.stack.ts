import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import {
  ApiMapping,
  type CfnStage,
  DomainName,
  HttpApi,
  type HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  type HttpStage,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaAuthorizer, HttpLambdaResponseType } from 'aws-cdk-lib/aws-apigatewayv2-authorizers'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { keystoneBase } from '../../functions/authorizer/settings.ts'
import type { KeysEnv, Settings, TableEnv } from '../../functions/runtime/env.ts'
import { acknowledge } from '../acknowledge.ts'
import { cloudEnvironment } from '../cloud-environment.ts'
import { EventStream } from '../constructs/event-stream.ts'
import { GatewayStage } from '../constructs/gateway-stage.ts'
import { IdentityFacade } from '../constructs/identity-facade.ts'
import { liveAlias } from '../constructs/live-alias.ts'
import { NodeFunction } from '../constructs/node-function.ts'
import { ReservedConcurrency } from '../constructs/reserved-concurrency.ts'
import { SignedApi } from '../constructs/signed-api.ts'
import { Users } from '../constructs/users.ts'
import { driverEnvironment } from '../driver-environment.ts'
import { eksGrants } from '../eks-grants.ts'
import { grantEks, grantSealing, grantSecret, grantStart, grantTable, machineArnPrefix } from '../grants.ts'
import { authorizerEnvironment } from '../identity-environment.ts'
import type { Installation, InstallationStackProps } from '../installation.ts'
import { HOOK_THROTTLE } from '../limits.ts'
import { type GatewayRoute, gatewayPaths } from '../route-keys.ts'

const HOOK_PATH = '/v1/hooks/{hook}'

const acknowledgePublic = (routes: readonly HttpRoute[]): void => {
  for (const route of routes) {
    acknowledge(
      route,
      'AwsSolutions-APIG4',
      route.path === HOOK_PATH
        ? 'The token of a hook is in its URL, since what posts there can send no other, and the function checks it.'
        : 'What versions there are, and what the API looks like, is reported before anybody logs in, as by Magnum.',
    )
  }
}

/** A route that throttles by itself. The stage must come after it, or CloudFormation does not find the route. */
const throttle = (stage: HttpStage, routes: readonly HttpRoute[]): void => {
  for (const route of routes.filter(({ path }) => path === HOOK_PATH)) {
    ;(stage.node.defaultChild as CfnStage).addPropertyOverride('RouteSettings', {
      [`POST ${HOOK_PATH}`]: {
        ThrottlingRateLimit: HOOK_THROTTLE.rateLimit,
        ThrottlingBurstLimit: HOOK_THROTTLE.burstLimit,
      },
    })
    stage.node.addDependency(route)
  }
}

export type ApiStackProps = InstallationStackProps & { routes: readonly GatewayRoute[] }

/**
 * HTTP API with `$default` stage, so that paths are the same as locally. Functions are cut by privilege: `keys` alone has rights on the
 * key that opens credentials; `table` answers everything else, unknown paths too.
 */
export class ApiStack extends Stack {
  readonly api: HttpApi
  /** The functions that the gateway calls, by the version that is live. */
  readonly functions: { readonly table: NodeFunction; readonly keys: NodeFunction; readonly authorizer: NodeFunction }
  readonly #installation: Installation
  readonly #facade: IdentityFacade | undefined
  /** Of the API, and of the one for signed requests where it is there. */
  readonly apiIds: readonly string[]
  /** A line for each request, of the same. */
  readonly accessLogs: readonly ILogGroup[]
  /** Base URL in links, without `/v1`. */
  readonly publicUrl: string

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    const { settings } = props
    const users = settings.identity === 'cognito' ? new Users(this, 'users', props) : undefined
    this.#installation = { ...props, settings: { ...settings, ...users?.issuer } }
    this.api = new HttpApi(this, 'api', {
      apiName: 'fedplane',
      createDefaultStage: false,
      disableExecuteApiEndpoint: settings.closeEndpoint,
    })
    const stage = new GatewayStage(this, 'stage', { api: this.api, installation: props })
    this.#addDomain(stage)
    const { domainName } = settings
    this.publicUrl = settings.publicUrl ?? (domainName === undefined ? this.api.apiEndpoint : `https://${domainName}`)
    this.#facade = this.#addFacade(stage)
    const stream = this.#addEventStream()
    this.functions = {
      table: this.#addTableFunction(stream?.url.url ?? ''),
      keys: this.#addKeysFunction(),
      authorizer: this.#addAuthorizer(),
    }
    const signed = this.#addRoutes(props.routes, stage)
    this.apiIds = [this.api.apiId, ...(signed === undefined ? [] : [signed.apiId])]
    this.accessLogs = [stage.accessLogs, ...(signed === undefined ? [] : [signed.accessLogs])]
    new ReservedConcurrency(this, 'reserved-concurrency', { installation: props, functions: this.functions })
    new CfnOutput(this, 'url', { value: `${this.publicUrl}/v1` })
    if (settings.closeEndpoint) return
    new CfnOutput(this, 'endpoint', {
      value: `${this.api.apiEndpoint}/v1`,
      description: "The gateway's own address, without domain and proxy.",
    })
  }

  #environment(): Omit<Settings<TableEnv>, 'EVENT_STREAM_URL'> {
    const { settings, data } = this.#installation
    return {
      TABLE_NAME: data.table.tableName,
      STATE_MACHINE_ARN_PREFIX: machineArnPrefix(),
      PUBLIC_URL: this.publicUrl,
      CLUSTERS_PER_PROJECT: String(settings.clustersPerProject),
      FEDERATIONS_PER_PROJECT: String(settings.federationsPerProject),
      TEMPLATES_PER_PROJECT: String(settings.templatesPerProject),
      OPERATIONS_PER_PROJECT: String(settings.operationsPerProject),
      GRANTS_PER_PROJECT: String(settings.grantsPerProject),
      REQUESTS_PER_PROJECT: String(settings.requestsPerProject),
      REQUESTS_PER_PRINCIPAL: String(settings.requestsPerPrincipal),
      KEYSTONE_URL: settings.keystoneUrl ?? '',
      AUTH_URL: this.#authUrl(),
      AWS_CALLERS: settings.awsCallers.join(' '),
      ...driverEnvironment(settings),
    }
  }

  /** Where clients log in; empty where that is somewhere else. */
  #authUrl(): string {
    const { keystoneUrl } = this.#installation.settings
    if (keystoneUrl !== undefined) return keystoneBase(keystoneUrl)
    return this.#facade === undefined ? '' : `${this.publicUrl}/identity/v3`
  }

  #addFacade(stage: HttpStage): IdentityFacade | undefined {
    const { identityUsersSecretArn: usersSecretArn } = this.#installation.settings
    if (usersSecretArn === undefined) return
    const { publicUrl } = this
    const facade = new IdentityFacade(this, 'facade', { installation: this.#installation, usersSecretArn, publicUrl })
    facade.addRoutes(this.api, stage)
    new CfnOutput(this, 'auth-url', { value: `${publicUrl}/identity/v3`, description: 'OS_AUTH_URL of clients.' })
    return facade
  }

  /** Tokens are checked by it as by the authorizer. */
  #addEventStream(): EventStream | undefined {
    const { settings } = this.#installation
    if (!settings.eventStream) return
    const environment = {
      ...authorizerEnvironment(settings, this.#facade?.environment),
      ...this.#environment(),
      EVENT_STREAM_URL: '',
    }
    const stream = new EventStream(this, 'event-stream', { installation: this.#installation, environment })
    this.#grantIdentity(stream.function)
    return stream
  }

  #addTableFunction(eventStreamUrl: string): NodeFunction {
    const environment: Settings<TableEnv> = { ...this.#environment(), EVENT_STREAM_URL: eventStreamUrl }
    const table = new NodeFunction(this, 'table', {
      installation: this.#installation,
      kind: 'table',
      description: 'fedplane: API routes without rights on keys',
      environment,
    })
    grantTable(table, this.#installation.data)
    grantStart(table)
    return table
  }

  #addKeysFunction(): NodeFunction {
    const { data, settings } = this.#installation
    const environment: Settings<KeysEnv> = {
      ...this.#environment(),
      ALLOWED_NETWORKS: settings.allowedNetworks.join(','),
      EKS_GRANTS: eksGrants(settings),
      TRIGGER_BUSES: settings.triggerBuses.join(','),
      KMS_KEY_ARN: data.dataKeyKey.keyArn,
      ...cloudEnvironment(settings),
    }
    const keys = new NodeFunction(this, 'keys', {
      installation: this.#installation,
      kind: 'keys',
      description: 'fedplane: API routes that seal or open credentials',
      environment,
      talksToClusters: true,
    })
    grantTable(keys, data)
    grantStart(keys)
    grantSealing(data.dataKeyKey, keys)
    grantEks(keys, settings)
    return keys
  }

  #addAuthorizer(): NodeFunction {
    const { settings } = this.#installation
    const authorizer = new NodeFunction(this, 'authorizer', {
      installation: this.#installation,
      kind: 'authorizer',
      description: 'fedplane: token to principal',
      environment: authorizerEnvironment(settings, this.#facade?.environment),
    })
    this.#grantIdentity(authorizer)
    return authorizer
  }

  /** What a function needs that checks tokens. */
  #grantIdentity(grantee: NodeFunction): void {
    const { keystoneSecretArn, keystoneSecretKeyArn } = this.#installation.settings
    if (keystoneSecretArn !== undefined) grantSecret(grantee, keystoneSecretArn, keystoneSecretKeyArn)
    this.#facade?.grantChecks(grantee)
  }

  /** @returns the API for signed requests, where there is one */
  #addRoutes(routes: readonly GatewayRoute[], stage: HttpStage): SignedApi | undefined {
    const { settings } = this.#installation
    const functions = {
      table: liveAlias(this.functions.table, settings),
      keys: liveAlias(this.functions.keys, settings),
    }
    // One permission for each function: one for each route would make a policy that is too long, at some fifty of them.
    const options = { scopePermissionToRoute: false }
    const integrations = {
      table: new HttpLambdaIntegration('table-integration', functions.table, options),
      keys: new HttpLambdaIntegration('keys-integration', functions.keys, options),
    }
    // Without identity source and cache: a denial by the gateway would be 403 where Magnum's clients need 401 to log in again.
    const principal = new HttpLambdaAuthorizer('principal', liveAlias(this.functions.authorizer, settings), {
      responseTypes: [HttpLambdaResponseType.SIMPLE],
      identitySource: [],
      resultsCacheTtl: Duration.seconds(0),
    })
    const nobody = new HttpNoneAuthorizer()
    for (const route of routes) {
      const integration = integrations[route.access === 'keys' ? 'keys' : 'table']
      const registered = gatewayPaths(route).flatMap((path) =>
        this.api.addRoutes({
          path,
          methods: [route.method as HttpMethod],
          integration,
          authorizer: route.access === 'none' ? nobody : principal,
        }),
      )
      if (route.access === 'none') acknowledgePublic(registered)
      throttle(stage, registered)
    }
    new HttpRoute(this, 'default-route', {
      httpApi: this.api,
      routeKey: HttpRouteKey.DEFAULT,
      integration: integrations.table,
      authorizer: principal,
    })
    return settings.awsCallers.length === 0
      ? undefined
      : new SignedApi(this, 'signed', { installation: this.#installation, routes, functions })
  }

  #addDomain(stage: HttpStage): void {
    const { domainName, certificateArn } = this.#installation.settings
    if (domainName === undefined || certificateArn === undefined) return
    const domain = new DomainName(this, 'domain', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'certificate', certificateArn),
    })
    new ApiMapping(this, 'mapping', { api: this.api, domainName: domain, stage })
    new CfnOutput(this, 'domain-target', {
      value: domain.regionalDomainName,
      description: `Make a CNAME or alias record of ${domainName} that points here.`,
    })
  }
}
