import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { clusterRoles } from '../../../../../kubernetes/resources.ts'
import { ensureBinding } from '../../../../support/member/account.ts'
import { memberObjectName } from '../../../../support/member/names.ts'
import { ensureOwned, ownerLabels, refOf, type Site } from '../../../../support/owned.ts'
import type { Trace } from '../../../../support/step.ts'

/** As Karmada's own join grants: objects of every kind that users spread, and the member's health and APIs. */
const roleManifest = (federationId: string): Manifest<'ClusterRole'> => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: memberObjectName(federationId), labels: ownerLabels(federationId) },
  rules: [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['get'] },
  ],
})

/** Binds the control plane's account to a role of the member's, or to one of our own that may do everything. */
export const ensureRights = async (site: Site, trace: Trace, role: string | null): Promise<void> => {
  const name = role ?? memberObjectName(site.federationId)
  const bind = () => ensureBinding(site, trace, name)
  if (role !== null) return bind()
  trace.made(refOf(site, await ensureOwned(site, clusterRoles, roleManifest(site.federationId))))
  await bind()
}
