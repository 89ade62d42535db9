import * as z from 'zod'
import type { RenderPlan } from './plan.ts'

const Stored = z.object({
  spec: z.object({ clusterNetwork: z.object({ apiServerPort: z.number().optional() }).prefault({}) }),
})

/**
 * Where API servers listen, and the load balancer before them; undefined: 6443. That of a cluster which is there is the one that it was made with, whatever
 * its template says by now: load balancer and address stay when masters are replaced.
 */
export const apiServerPortOf = ({
  previous,
  template,
}: Pick<RenderPlan, 'previous' | 'template'>): number | undefined =>
  previous === undefined
    ? (template?.spec.apiserverPort ?? undefined)
    : Stored.safeParse(previous).data?.spec.clusterNetwork.apiServerPort
