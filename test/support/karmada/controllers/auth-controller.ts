import type { InProcessClient } from '../in-process-client.ts'
import {
  controllerReference,
  isDeleting,
  type KarmadaCluster,
  SYSTEM_LABEL,
  WORK_FINALIZER,
  worksPath,
} from './karmada-cluster.ts'

const RBAC = 'rbac.authorization.k8s.io'
const NAME = 'karmada-impersonator'

type Rule = { apiGroups?: string[]; resources?: string[] }
type Subject = { kind: string; name: string; namespace?: string }
type Role = { metadata: { name: string }; rules?: Rule[] }
type Binding = { roleRef: { name: string }; subjects?: Subject[] }

const has = (list: string[] = [], value: string): boolean => list.includes('*') || list.includes(value)

/** Who may go to members through `clusters/proxy`. */
const proxyUsers = (api: InProcessClient): Subject[] => {
  const roles = (api.list(`/apis/${RBAC}/v1/clusterroles`) as unknown as Role[]).filter(({ rules = [] }) =>
    rules.some(({ apiGroups, resources }) => has(apiGroups, 'cluster.karmada.io') && has(resources, 'clusters/proxy')),
  )
  const names = new Set(roles.map(({ metadata }) => metadata.name))
  return (api.list(`/apis/${RBAC}/v1/clusterrolebindings`) as unknown as Binding[])
    .filter(({ roleRef }) => names.has(roleRef.name))
    .flatMap(({ subjects = [] }) => subjects)
}

const impersonate = (resources: string[], resourceNames: string[]) => ({
  apiGroups: [''],
  verbs: ['impersonate'],
  resources,
  resourceNames,
})

const manifests = (api: InProcessClient, { spec }: KarmadaCluster): object[] => {
  const users = proxyUsers(api)
  const named = (kind: string): string[] => users.filter((it) => it.kind === kind).map(({ name }) => name)
  const metadata = { name: NAME, labels: SYSTEM_LABEL }
  return [
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata,
      rules: [impersonate(['users'], named('User')), impersonate(['groups'], named('Group'))],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: NAME },
      // The namespace of the Secret in the control plane is taken for that of the account in the member.
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: spec.impersonatorSecretRef?.namespace }],
    },
  ]
}

/** Two Works for each Cluster that has an impersonator: rights in the member for those who go through `clusters/proxy`. */
export const authController = (api: InProcessClient, cluster: KarmadaCluster): void => {
  if (isDeleting(cluster) || cluster.spec.impersonatorSecretRef === undefined) return
  const path = worksPath(cluster.metadata.name)
  for (const manifest of manifests(api, cluster)) {
    const { kind } = manifest as { kind: string }
    const name = `${NAME}-${kind.toLowerCase()}`
    if (api.get(`${path}/${name}`) !== undefined) continue
    api.create(path, {
      apiVersion: 'work.karmada.io/v1alpha1',
      kind: 'Work',
      metadata: { name, finalizers: [WORK_FINALIZER], ownerReferences: [controllerReference(cluster)] },
      spec: { workload: { manifests: [manifest] } },
    })
  }
}
