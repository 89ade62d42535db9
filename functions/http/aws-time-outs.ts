/**
 * How long a call of a service of AWS may take to connect, and to be answered, milliseconds: they answer in a few. The SDK's default waits for ever, so that
 * a connection that has died without a word would hold its caller until its function ends.
 */
export const AWS_TIME_OUTS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true } as const
