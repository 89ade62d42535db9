import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Counts } from './counts.ts'

export const COUNTS_FILE = path.join(import.meta.dirname, 'counts.json')
export const REPORT_FILE = path.resolve(import.meta.dirname, '../../docs/cost.md')

/** What was measured last. */
export const readCounts = async (): Promise<Counts> => Counts.parse(JSON.parse(await readFile(COUNTS_FILE, 'utf8')))
