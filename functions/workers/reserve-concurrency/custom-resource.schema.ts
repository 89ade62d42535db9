import * as z from 'zod'
import { StackRequest } from '../stack-request.schema.ts'

const Properties = z.object({
  /** Functions whose reserved concurrency is not the operator's. CloudFormation makes text of every number. */
  Functions: z.array(
    z.object({
      /** As people know it: `table`. */
      Kind: z.string().min(1),
      Name: z.string().min(1),
      /** What it shall have reserved; `none` gives up what was reserved before. */
      Wanted: z.union([z.literal('none'), z.string().regex(/^[1-9][0-9]{0,5}$/)]),
    }),
  ),
})

/** What CloudFormation sends about the reserved concurrency of functions. */
export const ReserveRequest = StackRequest.extend({
  ResourceProperties: Properties,
  /** With an Update: what it was asked before. */
  OldResourceProperties: Properties.optional(),
})

export type ReserveRequest = z.infer<typeof ReserveRequest>
export type WantedFunction = z.infer<typeof Properties>['Functions'][number]
