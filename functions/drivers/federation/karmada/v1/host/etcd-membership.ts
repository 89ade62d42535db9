import * as z from 'zod'
import { ETCD } from '../names.ts'
import { type Membership, STATE_ANNOTATION } from './etcd.ts'
import type { HostWork } from './host-work.ts'
import { statefulSets } from './resources.ts'

const Found = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({ replicas: z.number() }),
})

/** With how many members etcd is to run: as many as it has, since members are added one by one (`grow`); else as many as are wanted. */
export const currentMembership = async ({ site, plan, namespace }: HostWork): Promise<Membership> => {
  const found = await site.client.get(statefulSets(namespace), ETCD)
  if (found === undefined) return { members: plan.properties.replicas, state: 'new', partition: 0 }
  const { metadata, spec } = Found.parse(found)
  const state = metadata.annotations[STATE_ANNOTATION] === 'existing' ? 'existing' : 'new'
  return { members: spec.replicas, state, partition: 0 }
}
