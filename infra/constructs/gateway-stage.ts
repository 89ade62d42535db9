import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import { type HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2'
import type { Construct } from 'constructs'
import type { Installation } from '../installation.ts'
import { API_THROTTLE } from '../limits.ts'
import { KeptLogs } from './kept-logs.ts'

/** A line of JSON for each request, as docs/runbook asks for it. Paths hold no secret; queries are not logged. */
const ACCESS_LOG_FORMAT = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTime(),
    sourceIp: AccessLogField.contextIdentitySourceIp(),
    method: AccessLogField.contextHttpMethod(),
    path: AccessLogField.contextPath(),
    routeKey: '$context.routeKey',
    status: AccessLogField.contextStatus(),
    responseLength: AccessLogField.contextResponseLength(),
    responseLatency: AccessLogField.contextResponseLatency(),
    integrationError: '$context.integrationErrorMessage',
  }),
)

/** The `$default` stage of an API, so that paths are the same as locally, with its limit and its log of requests. */
export class GatewayStage extends HttpStage {
  readonly accessLogs: KeptLogs

  constructor(scope: Construct, id: string, { api, installation }: { api: HttpApi; installation: Installation }) {
    const accessLogs = new KeptLogs(scope, 'access-logs', installation)
    super(scope, id, {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: API_THROTTLE,
      // Those of single routes cost by the month, and nothing checks them: the access log has routes.
      detailedMetricsEnabled: false,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLogs),
        format: ACCESS_LOG_FORMAT,
      },
    })
    this.accessLogs = accessLogs
  }
}
