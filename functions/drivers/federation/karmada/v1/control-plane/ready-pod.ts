import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'

const Pod = z.object({
  metadata: z.object({ deletionTimestamp: z.string().optional() }),
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
})

/** True for a pod that takes requests and is not going away. */
export const isReadyPod = (pod: KubernetesObject): boolean => {
  const { data } = Pod.safeParse(pod)
  return (
    data?.metadata.deletionTimestamp === undefined &&
    (data?.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false)
  )
}
