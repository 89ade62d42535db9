import type { ClusterEndpoint } from '../../core/cluster/cluster.ts'
import type { JsonObject } from '../../core/values/json.ts'
import type { AddressPolicy } from '../address-guard.ts'
import type { ConnectionCredential } from '../client.ts'
import { clusterEntry, clusterFileReferences } from './cluster-entry.ts'
import { FLATTEN_HINT } from './fields.ts'
import { KubeconfigRejected } from './kubeconfig-rejected.ts'
import { readTree } from './read-tree.ts'
import { type Selection, selectEntries } from './select-entries.ts'
import { checkUserFields, userEntry, userFileReferences } from './user-entry.ts'

export type KubeconfigOptions = {
  /** Wins over `current-context`. */
  context?: string
  /** The caller's explicit `insecure_skip_tls_verify`. Default false. */
  allowInsecure?: boolean
  /** Refuses denied IP literals at once. Default: no check here; `connect` checks in any case. */
  policy?: AddressPolicy
  now: Date
}

/** What is kept of a kubeconfig: one cluster and one credential. */
export type KubeconfigIntake = {
  /** `serverForPeers` is null: a kubeconfig says nothing about it. */
  endpoint: ClusterEndpoint
  credential: ConnectionCredential
  context: string
  clusterName: string
  userName: string
  /** ISO-8601 UTC, from the client certificate or the token's own claims; null when it says nothing. */
  expiresAt: string | null
  /** Whole sentences for the caller; never a secret. */
  warnings: string[]
}

/**
 * Takes exactly one cluster and one credential out of a kubeconfig, or says why not. Runs no program, opens no file, follows no
 * address. Rules: design section 6 and the shared hard cases.
 *
 * @throws KubeconfigRejected
 */
export const parseKubeconfig = (input: string | JsonObject, options: KubeconfigOptions): KubeconfigIntake => {
  const selection = selectEntries(readTree(input), options.context)
  checkUserFields(selection.user)
  const { endpoint, warnings } = clusterOf(selection, options)
  const user = userEntry(selection.user, options.now)
  return {
    endpoint,
    credential: user.credential,
    context: selection.context,
    clusterName: selection.clusterName,
    userName: selection.userName,
    expiresAt: user.expiresAt,
    warnings: [...warnings, ...user.warnings],
  }
}

const clusterOf = ({ cluster, user }: Selection, { allowInsecure = false, policy, now }: KubeconfigOptions) => {
  const fields = [...clusterFileReferences(cluster), ...userFileReferences(user)]
  if (fields.length > 0) {
    throw new KubeconfigRejected(
      'local_file_reference',
      `${fields.join(', ')} of the kubeconfig point to files on another machine, which are never opened; ${FLATTEN_HINT}.`,
      { fields },
    )
  }
  return clusterEntry(cluster, { allowInsecure, policy, now })
}
