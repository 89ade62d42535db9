import type { RegistryOptions } from '../drivers/enabled.ts'
import type { ReconcilerEnv } from './env.ts'

const listOf = (text: string): string[] => text.split(',').flatMap((part) => part.trim() || [])

/** Which drivers an installation on AWS offers: as its settings say, the first federation driver the default; else what is usual. */
export const enabledDrivers = (env: Pick<ReconcilerEnv, 'FEDERATION_DRIVERS' | 'CLUSTER_DRIVERS'>): RegistryOptions => {
  const [federation, cluster] = [listOf(env.FEDERATION_DRIVERS), listOf(env.CLUSTER_DRIVERS)]
  const [first] = federation
  return {
    ...(first === undefined ? {} : { enabledFederation: federation, defaultFederation: first }),
    ...(cluster.length === 0 ? {} : { enabledCluster: cluster }),
  }
}
