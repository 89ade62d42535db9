import { describe } from 'vitest'
import type { MakeSubject } from '../../support/store/contract-subject.ts'
import { certificateStoreContract } from './certificates.contract.ts'
import { clusterStoreContract } from './clusters.contract.ts'
import { commitContract } from './commit.contract.ts'
import { credentialStoreContract } from './credentials.contract.ts'
import { federationStoreContract } from './federations.contract.ts'
import { grantsContract } from './grants.contract.ts'
import { integrityContract } from './integrity.contract.ts'
import { managementStoreContract } from './management.contract.ts'
import { nodeGroupStoreContract } from './node-groups.contract.ts'
import { projectLimitsContract } from './project-limits.contract.ts'
import { quotaStoreContract } from './quotas.contract.ts'
import { reachContract } from './reach.contract.ts'
import { smallStoresContract } from './small-stores.contract.ts'
import { templateVisibilityContract } from './template-visibility.contract.ts'
import { templateStoreContract } from './templates.contract.ts'
import { workStoreContract } from './work.contract.ts'

/** Everything that an implementation of `Stores` must do, whatever it stores in. */
export const storeContract = (make: MakeSubject): void => {
  describe('ClusterStore', () => clusterStoreContract(make))
  describe('ClusterStore across projects', () => reachContract(make))
  describe('ClusterTemplateStore', () => templateStoreContract(make))
  describe('ClusterTemplateStore, visibility', () => templateVisibilityContract(make))
  describe('NodeGroupStore', () => nodeGroupStoreContract(make))
  describe('ManagementStore', () => managementStoreContract(make))
  describe('CertificateStore', () => certificateStoreContract(make))
  describe('QuotaStore and HeartbeatStore', () => quotaStoreContract(make))
  describe('FederationStore', () => federationStoreContract(make))
  describe('MembershipStore, EventStore, IdempotencyStore', () => smallStoresContract(make))
  describe('GrantStore', () => grantsContract(make))
  describe('CredentialStore', () => credentialStoreContract(make))
  describe('IntegrityStore', () => integrityContract(make))
  describe('WorkStore', () => workStoreContract(make))
  describe('Commit', () => commitContract(make))
  describe('Commit within the limits of projects', () => projectLimitsContract(make))
}
