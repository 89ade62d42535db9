import type { FederationContext, FederationDriver } from '../../../contract/federation-driver.ts'
import { checkHost } from './check-host.ts'
import { checkMember } from './check-member.ts'
import { checkUpdate } from './check-update.ts'
import { cleanMember } from './clean-member.ts'
import { deregisterMember } from './deregister-member.ts'
import { clusterProfileV1Description } from './description.ts'
import { findServedVersion } from './host/served-version.ts'
import { inventoryNamespace } from './inventory-namespace.ts'
import { PROFILE_GROUP, PROFILE_VERSIONS } from './names.ts'
import { observeMember } from './observe-member.ts'
import { type ClusterProfileOptions, DEFAULT_OPTIONS } from './options.ts'
import { accessPhase } from './phases/access.ts'
import { checkPhase } from './phases/check.ts'
import { crdPhase } from './phases/crd.ts'
import { namespacePhase } from './phases/namespace.ts'
import { publishPhase } from './phases/publish.ts'
import { rebindPhase } from './phases/rebind.ts'
import { removalPhases } from './phases/remove.ts'
import { prepareMember } from './prepare-member.ts'
import { refreshMember } from './refresh-member.ts'
import { registerMember } from './register-member.ts'

/** URL of the inventory: the collection of ClusterProfiles, at the host's API server as other clusters reach it. */
const endpoint = async ({ federation, host }: FederationContext): Promise<string | null> => {
  const address = host.cluster.endpoint
  if (address === null) return null
  const version = (await findServedVersion(await host.client())) ?? PROFILE_VERSIONS[0]
  const server = (address.serverForPeers ?? address.server).replace(/\/$/, '')
  return `${server}/apis/${PROFILE_GROUP}/${version}/namespaces/${inventoryNamespace(federation.id)}/clusterprofiles`
}

/** The driver with other patience than the usual, for tests. */
export const clusterProfileDriver = (given: Partial<ClusterProfileOptions> = {}): FederationDriver => {
  const options = { ...DEFAULT_OPTIONS, ...given }
  return {
    ...clusterProfileV1Description,
    phases: {
      create: [namespacePhase(options), crdPhase, accessPhase],
      update: [checkPhase, crdPhase, rebindPhase, publishPhase],
      delete: removalPhases(options),
      // What expires are the members' credentials, each by itself.
      rotate: [],
    },
    checkHost,
    checkMember,
    checkUpdate,
    prepareMember: (context) => prepareMember(context, options),
    registerMember,
    observeMember,
    refreshMember,
    deregisterMember,
    cleanMember: (context) => cleanMember(context, options),
    endpoint,
  }
}

export const clusterProfileV1: FederationDriver = clusterProfileDriver()
