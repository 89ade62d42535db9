/**
 * For calls to services in our own Region that answer in milliseconds: three attempts of at most 3 s stay within a request's time
 * (API Gateway gives up at 30 s). The SDK's default waits for ever.
 */
export const AWS_CLIENT_OPTIONS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
} as const
