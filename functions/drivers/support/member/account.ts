import * as z from 'zod'
import type { Manifest } from '../../../kubernetes/manifest.ts'
import { clusterRoleBindings, namespaces, secrets, serviceAccounts } from '../../../kubernetes/resources.ts'
import { ensureNamespace } from '../namespace.ts'
import {
  ensureOwned,
  ensureSeen,
  isOwned,
  ownerLabels,
  refOf,
  removeAllOwned,
  removeOwned,
  requireOwned,
  type Site,
} from '../owned.ts'
import { settleAll, type Trace } from '../step.ts'
import { memberObjectName, tokenSecrets } from './tokens.ts'

/** The user name of a ServiceAccount of ours in a member. */
export const accountUser = (federationId: string, account = memberObjectName(federationId)): string =>
  `system:serviceaccount:${memberObjectName(federationId)}:${account}`

/**
 * The federation's namespace in the member: all its accounts and their tokens are there. True when it was made just now: nothing that is looked for in it
 * can be there then.
 */
export const ensureMemberNamespace = async (site: Site, trace: Trace): Promise<boolean> => {
  const name = memberObjectName(site.federationId)
  const existing = await site.client.get(namespaces, name)
  trace.made(refOf(site, await ensureNamespace(site, name, existing)))
  return existing === undefined
}

type Labels = Readonly<Record<string, string>>

/** An account to have in the federation's namespace. */
type DesiredAccount = {
  /** Default: the account of the control plane. */
  account?: string
  labels?: Labels
  /** The namespace was made just now. */
  isNamespaceNew?: boolean
}

const accountManifest = (federationId: string, account: string, labels: Labels): Manifest<'ServiceAccount'> => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: {
    name: account,
    namespace: memberObjectName(federationId),
    labels: { ...ownerLabels(federationId), ...labels },
  },
  automountServiceAccountToken: false,
})

/** An account in the federation's namespace, which must be there. */
export const ensureServiceAccount = async (
  site: Site,
  trace: Trace,
  { account = memberObjectName(site.federationId), labels = {}, isNamespaceNew = false }: DesiredAccount = {},
): Promise<void> => {
  const resource = serviceAccounts(memberObjectName(site.federationId))
  const manifest = accountManifest(site.federationId, account, labels)
  const made = isNamespaceNew
    ? await ensureSeen(site, resource, manifest, undefined)
    : await ensureOwned(site, resource, manifest)
  trace.made(refOf(site, made))
}

/** What binds the federation's account to a role. */
export const bindingManifest = (federationId: string, role: string): Manifest<'ClusterRoleBinding'> => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: memberObjectName(federationId), labels: ownerLabels(federationId) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [
    { kind: 'ServiceAccount', name: memberObjectName(federationId), namespace: memberObjectName(federationId) },
  ],
})

const Binding = z.object({ roleRef: z.object({ name: z.string() }) })

/** Binds the federation's account to the role. `roleRef` can't be changed, so a binding to another role is replaced. */
export const ensureBinding = async (site: Site, trace: Trace, role: string): Promise<void> => {
  const name = memberObjectName(site.federationId)
  const existing = await site.client.get(clusterRoleBindings, name)
  const isOther = existing !== undefined && Binding.safeParse(existing).data?.roleRef.name !== role
  if (isOther) {
    requireOwned(site, existing)
    await removeOwned(site, clusterRoleBindings, name)
  }
  const manifest = bindingManifest(site.federationId, role)
  trace.made(refOf(site, await ensureSeen(site, clusterRoleBindings, manifest, isOther ? undefined : existing)))
}

const removeTokens = async (site: Site): Promise<void> => {
  const resource = secrets(memberObjectName(site.federationId))
  const tokens = await tokenSecrets(site)
  await removeAllOwned(
    site,
    tokens.map((object) => ({ resource, object })),
  )
}

/** Takes the federation's accounts and tokens out of its namespace in the member: what can go goes, also when a part fails. */
export const removeAccounts = async (site: Site, accounts: readonly string[]): Promise<void> => {
  const name = memberObjectName(site.federationId)
  const namespace = await site.client.get(namespaces, name)
  if (namespace === undefined || !isOwned(site, namespace)) return
  await settleAll([
    () => removeTokens(site),
    ...accounts.map((account) => () => removeOwned(site, serviceAccounts(name), account)),
  ])
}
