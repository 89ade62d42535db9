import type { FederationContext, FederationDriver, Finding } from '../../../contract/federation-driver.ts'
import { attempt } from '../../../support/findings.ts'
import { claimManifests } from './host/etcd.ts'
import { nodeFindings, storageFindings } from './host/findings.ts'
import { hostWork } from './host/host-work.ts'
import { ownClaims } from './phases/storage.ts'

/** What the host has against the new properties: volumes and nodes for more members. @throws what its API server answers instead */
export const hostFindings = async (context: FederationContext): Promise<Finding[]> => {
  const work = await hostWork(context)
  const { client } = work.site
  const names = (await ownClaims(work)).map(({ metadata }) => metadata.name)
  const isGrowing = claimManifests(work.plan).some(({ metadata }) => !names.includes(metadata.name))
  if (!isGrowing) return []
  const { properties } = work.plan
  return [...(await storageFindings(client, properties)), ...(await nodeFindings(client, properties))]
}

/** Preflight of changed properties. No member can refuse any. */
export const checkUpdate: NonNullable<FederationDriver['checkUpdate']> = {
  host: async (context) => ({ findings: await attempt(() => hostFindings(context)), wouldMake: [] }),
  member: async () => ({ findings: [], wouldMake: [] }),
}
