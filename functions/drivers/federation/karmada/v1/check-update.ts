import type { FederationContext, FederationDriver, Finding, Preflight } from '../../../contract/federation-driver.ts'
import { attempt } from '../../../support/findings.ts'
import { claimManifests } from './host/etcd.ts'
import { nodeFindings, storageFindings } from './host/findings.ts'
import { type HostWork, hostWork } from './host/host-work.ts'
import { pullSecretFindings } from './host/pull-secret.ts'
import { wouldChange } from './host/would-change.ts'
import { ownClaims } from './phases/storage.ts'

/** Volumes and nodes for more members. */
const growthFindings = async (work: HostWork): Promise<Finding[]> => {
  const names = (await ownClaims(work)).map(({ metadata }) => metadata.name)
  const isGrowing = claimManifests(work.plan).some(({ metadata }) => !names.includes(metadata.name))
  if (!isGrowing) return []
  const { properties } = work.plan
  return [
    ...(await storageFindings(work.site.client, properties)),
    ...(await nodeFindings(work.site.client, properties)),
  ]
}

/** What the host has against the new properties. @throws what its API server answers instead */
export const hostFindings = async (context: FederationContext): Promise<Finding[]> => {
  const work = await hostWork(context)
  return [...(await growthFindings(work)), ...(await pullSecretFindings(work))]
}

/** What the dry run shows; where the host can't be asked it has a finding, and no list. */
const inHost = async (context: FederationContext): Promise<Preflight> => {
  let wouldMake: string[] = []
  const findings = await attempt(async () => {
    const [found, changes] = await Promise.all([hostFindings(context), wouldChange(context)])
    wouldMake = changes
    return found
  })
  return { findings, wouldMake }
}

/** Preflight of changed properties. No member can refuse any. */
export const checkUpdate: NonNullable<FederationDriver['checkUpdate']> = {
  host: inHost,
  member: async () => ({ findings: [], wouldMake: [] }),
}
