import type { KubeconfigRole, RightsLevel } from '../core/values/identity.ts'

/**
 * Groups of rules, for policies that speak of many at once: `action in Action::"delete"`.
 *
 * - `read`, `change`: what readers and members of a project may do
 * - `administer`: what is for administrators: other projects, publishing, quotas
 * - `delete`: removes something; such rules are in another group too
 */
export type RuleGroup = 'read' | 'change' | 'administer' | 'delete'

/**
 * Every policy rule with its groups: Magnum's names (magnum-rest.md 9.4), and ours for what Magnum lacks. The Cedar schema says the
 * same to those who write policies; a test compares the two.
 */
export const RULES = {
  'cluster:create': ['change'],
  'cluster:update': ['change'],
  'cluster:update_health_status': ['change'],
  'cluster:delete': ['change', 'delete'],
  'cluster:resize': ['change'],
  'cluster:upgrade': ['change'],
  'cluster:observe': ['change'],
  'cluster:get': ['read'],
  'cluster:get_all': ['read'],
  'cluster:detail': ['read'],
  'cluster:get_one_all_projects': ['administer'],
  'cluster:get_all_all_projects': ['administer'],
  'cluster:detail_all_projects': ['administer'],
  'cluster:update_all_projects': ['administer'],
  'cluster:delete_all_projects': ['administer', 'delete'],
  'cluster:upgrade_all_projects': ['administer'],
  'cluster:set_management': ['administer'],
  'cluster:force_delete': ['administer', 'delete'],
  'cluster:accept_identity': ['administer'],
  'cluster:host': [],
  'cluster:join': [],
  'cluster:kubeconfig': [],
  'clustertemplate:create': ['change'],
  'clustertemplate:update': ['change'],
  'clustertemplate:delete': ['change', 'delete'],
  'clustertemplate:publish': ['administer'],
  'clustertemplate:get': ['read'],
  'clustertemplate:get_all': ['read'],
  'clustertemplate:detail': ['read'],
  'clustertemplate:get_one_all_projects': ['administer'],
  'clustertemplate:get_all_all_projects': ['administer'],
  'clustertemplate:detail_all_projects': ['administer'],
  'clustertemplate:update_all_projects': ['administer'],
  'clustertemplate:delete_all_projects': ['administer', 'delete'],
  'nodegroup:create': ['change'],
  'nodegroup:update': ['change'],
  'nodegroup:delete': ['change', 'delete'],
  'nodegroup:get': ['read'],
  'nodegroup:get_all': ['read'],
  'nodegroup:get_one_all_projects': ['administer'],
  'nodegroup:get_all_all_projects': ['administer'],
  'certificate:get': [],
  'certificate:create': [],
  'certificate:rotate_ca': ['change'],
  'credential:rotate': ['change'],
  'credential:get_all': ['read'],
  'credential:get_all_all_projects': ['administer'],
  'quota:create': ['administer'],
  'quota:update': ['administer'],
  'quota:delete': ['administer', 'delete'],
  'quota:get': ['read'],
  'quota:get_all': ['administer'],
  'quota:get_all_all_projects': ['administer'],
  'stats:get_all': ['read'],
  'stats:get_all_all_projects': ['administer'],
  'magnum-service:get_all': ['administer'],
  'federation:create': ['change'],
  'federation:update': ['change'],
  'federation:delete': ['change', 'delete'],
  'federation:get': ['read'],
  'federation:get_all': ['read'],
  'federation:detail': ['read'],
  'federation:join': ['change'],
  'federation:unjoin': ['change'],
  'federation:kubeconfig': [],
  'grant:create': [],
  'grant:get': ['read'],
  'grant:get_all': ['read'],
  'grant:delete': ['change', 'delete'],
  'driver:get': ['read'],
  'event:get_all': ['read'],
  'trigger:create': ['change'],
  'trigger:update': ['change'],
  'trigger:delete': ['change', 'delete'],
  'trigger:get': ['read'],
  'trigger:get_all': ['read'],
  'hook:create': ['change'],
  'hook:delete': ['change', 'delete'],
  'hook:get_all': ['read'],
  'identity:get': ['read'],
} as const satisfies Record<string, readonly RuleGroup[]>

export type PolicyRule = keyof typeof RULES

/** True for what changes nothing. */
export const isReadRule = (rule: PolicyRule): boolean => (RULES[rule] as readonly RuleGroup[]).includes('read')

/** What is asked about, as far as rules check it. Absent: something of the caller's own. */
export type PolicyObject = {
  /** For the audit; no policy sees it. */
  id?: string
  projectId: string
  /** Who made it; absent: nobody in particular. */
  userId?: string
}

/** What `cluster:host` and `cluster:join` are asked with: who takes which rights in the cluster. */
export type ClusterUseContext = {
  /** Id of the federation's driver. */
  driver: string
  rights: RightsLevel
  /** The federation, or the one that is to be. */
  federation: PolicyObject
  /** By which a federation of another project uses it; absent within the project. */
  grant?: { id?: string; actions: readonly string[]; rights: RightsLevel }
}

/** What `federation:join` and `federation:unjoin` are asked with: the other side. */
export type MemberContext = {
  driver: string
  /** That the driver takes in a member. */
  rights: RightsLevel
  /** Whose cluster joins or leaves. */
  cluster: PolicyObject
}

/** What `grant:create` is asked with once it is known. */
export type GrantContext = { actions: readonly string[]; rights: RightsLevel }

/** What the rules about kubeconfigs are asked with once it is known. */
export type KubeconfigContext = { role: KubeconfigRole; namespace?: string }

/** Of all other rules it is empty. */
export type PolicyContext = ClusterUseContext | MemberContext | GrantContext | KubeconfigContext
