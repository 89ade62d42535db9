import * as z from 'zod'

/** `?workloads=`: what an unjoin does with the workloads that the federation brought into the member. Absent: they stay. */
export const workloads = z.enum(['keep', 'delete'], { error: 'must be "keep" or "delete"' }).optional()
