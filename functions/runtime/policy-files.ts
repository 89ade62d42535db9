import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { PolicyText } from '../policy/policy-text.ts'

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
