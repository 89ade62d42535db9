import type { FederationContext, FederationDriver } from '../../../contract/federation-driver.ts'
import { checkHost, checkMember, checkUpdate } from './checks/checks.ts'
import { clusterProfileV1Description } from './description.ts'
import { findServedVersion, observe } from './host/inventory.ts'
import {
  type ClusterProfileOptions,
  cleanMember,
  DEFAULT_OPTIONS,
  deregisterMember,
  prepareMember,
  refreshMember,
  registerMember,
  revokeMember,
} from './member/member.ts'
import { observeMade, observeMember } from './member/observe.ts'
import { PROFILE_GROUP, PROFILE_VERSIONS } from './names.ts'
import { crdPhase } from './phases/crd.ts'
import { accessPhase, namespacePhase, removalPhases } from './phases/namespace.ts'
import { checkPhase, publishPhase, rebindPhase } from './phases/update.ts'
import { inventoryNamespace } from './schema.ts'

/** URL of the inventory: the collection of ClusterProfiles, at the host's API server as other clusters reach it. */
const endpoint = async ({ federation, host }: FederationContext): Promise<string | null> => {
  const address = host.cluster.endpoint
  if (address === null) return null
  const version = (await findServedVersion(await host.client())) ?? PROFILE_VERSIONS[0]
  const server = (address.serverForPeers ?? address.server).replace(/\/$/, '')
  return `${server}/apis/${PROFILE_GROUP}/${version}/namespaces/${inventoryNamespace(federation.id)}/clusterprofiles`
}

/** The driver with other timeouts than the usual, for tests. */
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
    observeMade,
    refreshMember,
    revokeMember,
    tokensIn: (credential) => [credential],
    deregisterMember,
    cleanMember: (context) => cleanMember(context, options),
    endpoint,
    observe,
  }
}

export const clusterProfileV1: FederationDriver = clusterProfileDriver()
