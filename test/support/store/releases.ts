import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type * as z from 'zod'

/** What a release writes into the table, and how it reads it. */
export type Release = {
  version: string
  items: Record<string, AttributeValue>[]
  /** JSON Schema by kind of item. Absent: it never met a later release. */
  reads?: Record<string, z.core.JSONSchema.JSONSchema>
}

/** Files by `record-release.ts`. */
export const RELEASES = path.join(import.meta.dirname, '../../contract/store/releases')

/** Wraps the data keys of recorded items, so that what is sealed in them can be opened. */
export const RELEASE_KEY = Buffer.alloc(32, 7)

export const toText = (release: Release): string =>
  `${JSON.stringify(release, (_, value) => (value?.type === 'Buffer' || value instanceof Uint8Array ? { base64: Buffer.from(value.data ?? value).toString('base64') } : value), 2)}\n`

const fromText = (text: string): Release =>
  JSON.parse(text, (_, value) =>
    typeof value?.base64 === 'string' ? new Uint8Array(Buffer.from(value.base64, 'base64')) : value,
  )

/** All recorded releases, the oldest first. */
export const releases = (): Release[] =>
  readdirSync(RELEASES)
    .filter((name) => name.endsWith('.json'))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => fromText(readFileSync(path.join(RELEASES, name), 'utf8')))
