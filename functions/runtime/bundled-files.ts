import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import type { PolicyText } from '../policy/policy-text.ts'
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

const SUFFIX = '.cedar'
/** File of the schema, in the folder of the default policies. */
export const SCHEMA_FILE = 'fedplane.cedarschema'

export const readPolicyFile = (file: string): PolicyText => ({ file, text: readFileSync(file, 'utf8') })

/** Names of the policy files in a folder, in alphabetical order. */
export const policyFilesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .sort()

/** The policies of a folder. @throws a system error when it can't be read */
export const readPolicyFolder = (folder: string): PolicyText[] =>
  policyFilesIn(folder).map((name) => readPolicyFile(path.join(folder, name)))
