import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** A signing request made by OpenSSL: `test/contract/cases/signing-requests/make.sh` says how. */
export const madeRequest = (name: string): string =>
  readFileSync(resolve('test/contract/cases/signing-requests', `${name}.pem`), 'utf8')
