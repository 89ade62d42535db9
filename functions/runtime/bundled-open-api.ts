import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { lazy } from './lazy.ts'

/** Beside the bundle: `infra/bundle.ts` makes it from the route table, so that the function does not carry what makes it. */
export const OPEN_API_FILE = 'openapi.json'

/** Reads the document when it is first asked for, and gives it the server that a request was sent to. */
export const bundledOpenApi = (folder: string): ((baseUrl: string) => string) => {
  const document = lazy(() =>
    z.looseObject({}).parse(JSON.parse(readFileSync(path.join(folder, OPEN_API_FILE), 'utf8'))),
  )
  return (baseUrl) => JSON.stringify({ ...document(), servers: [{ url: baseUrl }] })
}
