import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod'

/** A copy of the hard cases shared by the project's people, so that a clone is enough; CI compares the two. */
const FOLDER = resolve('test/contract/cases/field')

const Case = z.object({
  id: z.string(),
  file: z.string(),
  kind: z.string(),
  expect: z.enum(['accept', 'reject', 'mixed']),
  stage: z.enum(['parse', 'policy']),
  why: z.string(),
  expect_details: z.record(z.string(), z.unknown()),
})
export type Case = z.infer<typeof Case>

/** Texts that stand for secrets in the files (README there); none of them may show anywhere. */
export const MARKERS = [
  'example-token-not-a-secret',
  'example-access-token',
  'example-pw',
  'example password',
  'PRIVATE KEY-----',
  'X-Injected',
]

export const caseBytes = (file: string): Buffer => readFileSync(resolve(FOLDER, file))

/** Cases of one kind, in the order of the index. */
export const casesOf = (kind: string): Case[] =>
  z
    .array(Case)
    .parse(JSON.parse(caseBytes('index.json').toString('utf8')))
    .filter((each) => each.kind === kind)
