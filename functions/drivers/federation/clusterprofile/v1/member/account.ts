import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { clusterRoleBindings, namespaces, serviceAccounts } from '../../../../../kubernetes/resources.ts'
import { namespaceManifest } from '../../../../support/namespace.ts'
import { demandOwned, ensureOwned, ownerLabels, refOf, removeOwned, type Site } from '../../../../support/owned.ts'
import type { Trace } from '../../../../support/step.ts'
import { memberObjectName } from '../names.ts'

/** The user name of our ServiceAccount in a member. */
export const accountUser = (federationId: string): string =>
  `system:serviceaccount:${memberObjectName(federationId)}:${memberObjectName(federationId)}`

const accountManifest = (federationId: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: {
    name: memberObjectName(federationId),
    namespace: memberObjectName(federationId),
    labels: ownerLabels(federationId),
  },
  automountServiceAccountToken: false,
})

const bindingManifest = (federationId: string, role: string): KubernetesObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: memberObjectName(federationId), labels: ownerLabels(federationId) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [
    { kind: 'ServiceAccount', name: memberObjectName(federationId), namespace: memberObjectName(federationId) },
  ],
})

const Binding = z.object({ roleRef: z.object({ name: z.string() }) })

/** Binds the account to the role. `roleRef` can't be changed, so a binding to another role is replaced. */
export const ensureBinding = async (site: Site, trace: Trace, role: string): Promise<void> => {
  const name = memberObjectName(site.federationId)
  const existing = await site.client.get(clusterRoleBindings, name)
  if (existing !== undefined) {
    demandOwned(site, existing)
    if (Binding.safeParse(existing).data?.roleRef.name !== role) await removeOwned(site, clusterRoleBindings, name)
  }
  const binding = await ensureOwned(site, clusterRoleBindings, bindingManifest(site.federationId, role))
  trace.made(refOf(site, binding))
}

/** Namespace, ServiceAccount and its rights in the member. */
export const ensureAccount = async (site: Site, trace: Trace, role: string): Promise<void> => {
  const { federationId } = site
  const name = memberObjectName(federationId)
  trace.made(refOf(site, await ensureOwned(site, namespaces, namespaceManifest(federationId, name))))
  const account = await ensureOwned(site, serviceAccounts(name), accountManifest(federationId))
  trace.made(refOf(site, account))
  await ensureBinding(site, trace, role)
}
