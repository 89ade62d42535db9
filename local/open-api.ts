import { openApiDocument } from '../functions/api/openapi/document.ts'
import { ROUTES } from '../functions/api/routes.ts'

/** Makes the OpenAPI document from the route table; on AWS it is made when the functions are bundled. */
export const localOpenApi = (baseUrl: string): string => JSON.stringify(openApiDocument(ROUTES, baseUrl))
