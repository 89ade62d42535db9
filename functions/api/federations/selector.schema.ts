import * as z from 'zod'
import { InvalidRequest } from '../../core/errors.ts'
import { matcherOf } from '../../core/selector/member-selector.ts'
import type { ClusterSelector, MemberSelector } from '../../core/selector/selector.ts'
import type { Json } from '../../core/values/json.ts'
import { STATUSES } from '../../core/values/status.ts'
import { parseAttributes } from '../body/attributes.ts'
import { integerField, optional, textField, wordField } from '../body/fields.ts'

/** A selector as requests say it: which clusters, and how members leave. */
export const memberSelector = z.object({
  labels: z
    .string({ error: 'must be text in the syntax of kubectl' })
    .max(2048, { error: 'must have at most 2048 characters' })
    .optional(),
  driver: optional(textField()),
  health_status: optional(wordField(['HEALTHY', 'UNHEALTHY', 'UNKNOWN'])),
  status: optional(wordField(STATUSES)),
  version: optional(textField()),
  max_unavailable: optional(integerField(1, 1000)),
  member_limit: optional(integerField(0, 10_000)),
})

/** What a request wants; whose word it is is asked by the route. */
export type WantedSelector = Omit<MemberSelector, 'id' | 'consent'>

const EVERY = 'To select every cluster say so: {"labels": ""}.'

/** @throws InvalidRequest */
export const readSelector = (value: Json): WantedSelector => {
  const { labels, driver, health_status, status, version, max_unavailable, member_limit } = parseAttributes(
    memberSelector,
    value,
    { ignored: [], readOnly: ['set_by'] },
    '"member_selector"',
  )
  const wanted = {
    ...(labels === undefined ? {} : { labels }),
    ...(driver === undefined ? {} : { driver }),
    ...(health_status === undefined ? {} : { healthStatus: health_status }),
    ...(status === undefined ? {} : { status }),
    ...(version === undefined ? {} : { version }),
  } as ClusterSelector
  if (Object.keys(wanted).length === 0) throw new InvalidRequest(`"member_selector" selects by nothing. ${EVERY}`)
  matcherOf(wanted)
  return { wanted, maxUnavailable: max_unavailable ?? 1, memberLimit: member_limit ?? null }
}
