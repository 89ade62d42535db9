import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseVersion } from '../../../functions/kubernetes/answer-shapes.ts'
import { caseBytes, casesOf } from '../../support/kubernetes/cases.ts'

const Entry = z.object({
  body: z.object({ major: z.string(), minor: z.string(), gitVersion: z.string() }),
  expect: z.array(z.number().nullable()).nullable(),
})

const [sv07] = casesOf('response-list')
const entries = z.array(Entry).parse(JSON.parse(caseBytes(sv07?.file ?? '').toString('utf8')))

describe('parseVersion', () => {
  it('has all strings of SV-07', () => {
    expect(entries).toHaveLength(Number(sv07?.expect_details.count))
  })

  it.each(entries)('reads $body.gitVersion and $body.minor', ({ body, expect: expected }) => {
    const { gitVersion, major, minor, patch } = parseVersion(body)
    expect([major, minor, patch]).toEqual(expected ?? [null, null, null])
    expect(gitVersion).toBe(body.gitVersion)
  })

  it.each([[null], [undefined], ['v1.30.0'], [{}], [[]], [{ gitVersion: 7, major: 1, minor: null }]])(
    'takes %j for unknown',
    (body) => {
      expect(parseVersion(body)).toEqual({ gitVersion: '', major: null, minor: null, patch: null })
    },
  )
})
