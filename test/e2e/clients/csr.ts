import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A file with a signing request: RSA 2048, SHA-256. */
export const CSR_FILE = path.resolve(import.meta.dirname, '../../contract/cases/signing-requests/rsa-2048-sha256.pem')
export const CSR = readFileSync(CSR_FILE, 'utf8')
