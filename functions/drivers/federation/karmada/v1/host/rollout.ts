import * as z from 'zod'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { Pending } from '../../../../support/step.ts'
import { type OperationTime, requireImages } from './image-fault.ts'
import { reasonOf } from './reasons.ts'

const Workload = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string(), generation: z.number().default(0) }),
  spec: z.object({ replicas: z.number().default(1) }),
  status: z
    .object({
      observedGeneration: z.number().default(0),
      replicas: z.number().default(0),
      updatedReplicas: z.number().default(0),
      readyReplicas: z.number().default(0),
      availableReplicas: z.number().default(0),
      // Of StatefulSets: equal once every pod has the newest template.
      currentRevision: z.string().optional(),
      updateRevision: z.string().optional(),
    })
    .prefault({}),
})
type Workload = z.infer<typeof Workload>

const UNSEEN = 'not looked at by its controller yet'

/** How far a Deployment or StatefulSet is; null when all its pods are those of the newest template, and available. */
export const progressOf = (object: KubernetesObject): string | null => {
  const { metadata, spec, status }: Workload = Workload.parse(object)
  if (status.observedGeneration < metadata.generation) return UNSEEN
  if (status.updatedReplicas < spec.replicas) return `${status.updatedReplicas} of ${spec.replicas} pods are the newest`
  if (status.replicas > status.updatedReplicas) return `${status.replicas - status.updatedReplicas} old pods still run`
  if (status.availableReplicas < spec.replicas) {
    return `${status.availableReplicas} of ${spec.replicas} pods are available`
  }
  return null
}

/**
 * Waits for rollouts to be over, by what the API says of them now.
 *
 * @throws Pending with the first that is not, how far it is, and what its pods and events say of the cause
 * @throws ImageNotPulled: see `requireImages`
 */
export const requireRolledOut = async (
  client: KubernetesClient,
  workloads: readonly KubernetesObject[],
  time: OperationTime,
): Promise<void> => {
  for (const workload of workloads) {
    const progress = progressOf(workload)
    if (progress === null) continue
    if (progress !== UNSEEN) await requireImages(client, workload, time)
    const reason = await reasonOf(client, workload)
    const { name } = workload.metadata
    throw new Pending(`${workload.kind} ${name} to be rolled out: ${progress}${reason === null ? '' : `; ${reason}`}`)
  }
}
