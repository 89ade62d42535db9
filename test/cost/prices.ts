/** Where and when the prices were looked up. */
export const PRICES_OF = { region: 'us-east-1', date: '2026-11-27' } as const

/** On-demand list prices in US dollars, without free tiers. */
export const PRICES = {
  httpRequest: { usd: 1 / 1e6, per: 'million requests', what: 'API Gateway, HTTP API' },
  lambdaRequest: { usd: 0.2 / 1e6, per: 'million calls', what: 'Lambda, calls' },
  lambdaGbSecond: { usd: 0.0000133334, per: 'GB-second', what: 'Lambda, arm64' },
  transition: { usd: 25 / 1e6, per: 'million transitions', what: 'Step Functions, Standard' },
  readUnit: { usd: 0.125 / 1e6, per: 'million units', what: 'DynamoDB, reads on demand' },
  writeUnit: { usd: 0.625 / 1e6, per: 'million units', what: 'DynamoDB, writes on demand' },
  storageGbMonth: { usd: 0.25, per: 'GB and month', what: 'DynamoDB, storage' },
  recoveryGbMonth: { usd: 0.2, per: 'GB and month', what: 'DynamoDB, point-in-time recovery' },
  event: { usd: 1 / 1e6, per: 'million events', what: 'EventBridge, custom events' },
  kmsCall: { usd: 0.03 / 1e4, per: '10,000 calls', what: 'KMS, calls' },
  kmsKeyMonth: { usd: 1, per: 'key and month', what: 'KMS, customer managed keys' },
  secretMonth: { usd: 0.4, per: 'secret and month', what: 'Secrets Manager' },
  logGb: { usd: 0.5, per: 'GB', what: 'CloudWatch Logs, ingestion' },
  alarmMetricMonth: {
    usd: 0.1,
    per: 'metric and month',
    what: 'CloudWatch, alarms (by the metrics that they check)',
  },
  compositeMonth: { usd: 0.5, per: 'alarm and month', what: 'CloudWatch, composite alarms' },
  metricMonth: { usd: 0.3, per: 'metric and month', what: 'CloudWatch, metrics of our own' },
  dashboardMonth: { usd: 3, per: 'dashboard and month', what: 'CloudWatch, dashboards' },
  trace: { usd: 5 / 1e6, per: 'million traces', what: 'X-Ray' },
} as const
