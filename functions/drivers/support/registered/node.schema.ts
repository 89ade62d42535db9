import * as z from 'zod'

/** What we read of a node. */
export const Node = z.object({
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
  status: z
    .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) })
    .default({ conditions: [] }),
})
export type Node = z.infer<typeof Node>
