import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { ApiResponse } from './route.ts'

/** An answer as API Gateway takes it. HEAD gets the headers only. */
export const toResult = (event: APIGatewayProxyEventV2, response: ApiResponse): APIGatewayProxyStructuredResultV2 => {
  const text = response.text ?? (response.body === undefined ? '' : JSON.stringify(response.body))
  const type: Record<string, string> = text === '' ? {} : { 'Content-Type': 'application/json' }
  return {
    statusCode: response.status,
    headers: { ...type, ...response.headers },
    body: event.requestContext.http.method === 'HEAD' ? '' : text,
  }
}
