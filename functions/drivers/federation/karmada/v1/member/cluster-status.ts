import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { MemberObservation } from '../../../../contract/federation-driver.ts'
import { isOwned, isTerminating, type Site } from '../../../../support/owned.ts'
import { conditionOf } from '../control-plane/conditions.ts'
import { CLUSTER_LABEL } from './names.ts'

const Cluster = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({
    id: z.string().optional(),
    apiEndpoint: z.string().default(''),
    insecureSkipTLSVerification: z.boolean().default(false),
    impersonatorSecretRef: z.object({ name: z.string() }).optional(),
  }),
})

/** What is used of a Cluster. */
export const clusterFacts = (cluster: KubernetesObject) => {
  const { metadata, spec } = Cluster.parse(cluster)
  return { ...spec, clusterId: metadata.labels[CLUSTER_LABEL] }
}

/** `unknown` needs a look at the member itself: `said` is what Karmada says of it. */
export type ClusterStatus = MemberObservation | { state: 'unknown'; said: string }

const notReady = (reason: string, message: string): ClusterStatus => ({ state: 'not-ready', reason, message })

/** What the control plane says of a member by its Cluster. `uid` is the identity that the member must have. */
export const clusterStatus = (
  site: Site,
  cluster: KubernetesObject | undefined,
  uid: string | undefined,
): ClusterStatus => {
  if (cluster === undefined) return { state: 'absent' }
  const name = `Cluster ${cluster.metadata.name} of the control plane`
  if (!isOwned(site, cluster)) return notReady('ForeignObject', `${name} is not this federation's.`)
  if (isTerminating(cluster)) return notReady('ClusterTerminating', `${name} is being deleted.`)
  const { id } = clusterFacts(cluster)
  if (uid !== undefined && id !== uid) return notReady('MemberIdDiffers', `${name} is about another cluster: spec.id.`)
  const ready = conditionOf(cluster, 'Ready')
  if (ready === undefined) return notReady('MemberNotObserved', `Karmada has not looked at the member yet.`)
  if (ready.status !== 'True') return { state: 'unknown', said: `${ready.reason}: ${ready.message}` }
  return { state: 'ready' }
}
