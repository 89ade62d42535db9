import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Exchange } from '../exchange.ts'

/** A middy middleware around the handlers of the API. */
export type ApiMiddleware = MiddlewareObj<Exchange, APIGatewayProxyStructuredResultV2>
