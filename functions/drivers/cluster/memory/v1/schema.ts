import * as z from 'zod'

/** Labels of a cluster that memory@1 reads. All are optional; values that can't be read count as absent. */
export const MemoryLabelsSchema = z.object({
  /** Phase that fails: `provision`, `identify`, `update` or `remove`. */
  'memory-fail-phase': z.string().optional(),
  /** Seconds that `provision` takes. */
  'memory-delay-seconds': z.coerce.number().min(0).max(9999).catch(0).default(0),
  /** The `kube-system` uid to play, so that two registrations can be of one cluster. */
  'memory-uid': z.string().optional(),
  /** `UNHEALTHY`: what the health sweep sees. */
  'memory-health': z.enum(['HEALTHY', 'UNHEALTHY']).catch('HEALTHY').default('HEALTHY'),
})
export type MemoryLabels = z.infer<typeof MemoryLabelsSchema>
