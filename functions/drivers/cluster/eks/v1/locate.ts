import type { ClusterPhase } from '../../../contract/cluster-driver.ts'
import type { EksAccess } from './eks-access.ts'
import { EksClusterNotActive } from './errors.ts'

/** Seconds that a cluster which is being made may take: EKS needs some ten minutes. */
const CREATION_SECONDS = 1800

/** First phase: EKS says where the cluster is. One that is being made is waited for. */
export const locatePhase = (access: EksAccess): ClusterPhase => ({
  id: 'locate',
  title: 'find the EKS cluster',
  deadlineSeconds: CREATION_SECONDS,
  ensure: async ({ cluster, credential }) => {
    try {
      return { done: true, endpoint: await access.endpoint(cluster, await credential()) }
    } catch (error) {
      if (!(error instanceof EksClusterNotActive) || error.details.status !== 'CREATING') throw error
      return { done: false, waitingFor: 'the EKS cluster, which is CREATING, to be ACTIVE' }
    }
  },
})
