import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { openApiDocument } from '../functions/api/openapi/document.ts'
import { ROUTES } from '../functions/api/routes.ts'
import { OPEN_API_FILE } from '../functions/runtime/bundled-files.ts'

/** Writes the OpenAPI document into the folders of functions that serve it. They set the server themselves. */
export const putOpenApiBeside = (folders: readonly string[]): void => {
  const document = JSON.stringify(openApiDocument(ROUTES, '/'))
  for (const folder of folders) writeFileSync(path.join(folder, OPEN_API_FILE), document)
}
