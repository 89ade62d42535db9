import * as z from 'zod'
import { ObjectRefSchema } from '../object-ref.schema.ts'

/** Where a member's flow is: returned by its steps and given back to the next. No secrets, as in all state data. */
export const MemberProgressSchema = z.object({
  done: z.boolean().default(false),
  waitSeconds: z.int().default(0),
  /** Faults so far of clean-up work that must end, by place. */
  tries: z.object({ host: z.int(), member: z.int() }).default({ host: 0, member: 0 }),
  /** What could not be removed so far. */
  leftovers: z.array(ObjectRefSchema).default([]),
  /** What the driver said of workloads that nobody took back. */
  remarks: z.array(z.string()).default([]),
  /** What the renewed credential is; the token itself is stored sealed. */
  credential: z
    .object({
      kind: z.enum(['token-secret', 'token-request']),
      expiresAt: z.string().nullable(),
      renewAfter: z.string().nullable(),
    })
    .nullable()
    .default(null),
  /** What works in part only, as the control plane said when the member became ready. */
  remark: z.object({ reason: z.string(), message: z.string() }).nullable().default(null),
})
export type MemberProgress = z.infer<typeof MemberProgressSchema>

/** Reads the progress of a member's flow; the beginning when there is none. */
export const memberProgressOf = (progress: unknown): MemberProgress => MemberProgressSchema.parse(progress ?? {})
