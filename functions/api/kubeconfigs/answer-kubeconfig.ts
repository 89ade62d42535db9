import type { Secret } from '../../core/values/secret.ts'
import type { IssuedKubeconfig } from '../../store/inventory.store.ts'
import { prefers } from '../negotiation.ts'
import { timestamp } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import type { WantedKubeconfig } from './kubeconfig.schema.ts'

/** Media type of the bare file. */
export const YAML = 'application/yaml'

const NO_STORE = { 'Cache-Control': 'no-store' }

export type FreshKubeconfig = { kubeconfig: Secret; expiresAt: string }

/** Headers of the answer, by what the caller accepts. */
export const kubeconfigHeaders = ({ headers }: Pick<ApiRequest, 'headers'>): Record<string, string> =>
  prefers(headers.accept, YAML) ? { ...NO_STORE, 'Content-Type': YAML } : NO_STORE

/** As JSON, or as the bare file for `Accept: application/yaml`. */
export const kubeconfigAnswer = (
  request: Pick<ApiRequest, 'headers'>,
  { kubeconfig, expiresAt }: FreshKubeconfig,
): ApiResponse => {
  const [headers, text] = [kubeconfigHeaders(request), kubeconfig.reveal()]
  return 'Content-Type' in headers
    ? { status: 200, headers, text }
    : { status: 200, headers, body: { kubeconfig: text, expires_at: timestamp(expiresAt) } }
}

type Leads = { kind: 'federation' | 'cluster'; projectId: string; id: string }

/** What the inventory of credentials keeps of it. */
export const recordOf = (
  { ports, principal }: Pick<ApiRequest, 'ports' | 'principal'>,
  { kind, projectId, id }: Leads,
  { role, namespace, expiresAt }: Omit<WantedKubeconfig, 'seconds'> & { expiresAt: string },
): IssuedKubeconfig => ({
  id: ports.newId(),
  projectId,
  of: { kind, id },
  userId: principal.userId,
  role,
  namespace: namespace ?? null,
  expiresAt,
  createdAt: ports.clock.now().toISOString(),
})

/** `viewer of namespace shop`: for events. */
export const rightsInWords = ({ role, namespace }: Pick<WantedKubeconfig, 'role' | 'namespace'>): string =>
  namespace === undefined ? role : `${role} of namespace ${namespace}`
