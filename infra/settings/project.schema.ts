import * as z from 'zod'
import { DEFAULT_CLUSTER_ROLES, isAdminRole } from '../../functions/core/values/identity.ts'
import { PROJECT_LIMITS } from '../../functions/core/values/quota.ts'

const ROLE = 'must be names of roles without commas, and not admin'

/** Settings of what the clusters of a project may have of its members. */
export const clusterRoles = () =>
  z
    .array(
      z
        .string(ROLE)
        .regex(/^[^,\s](?:[^,]*[^,\s])?$/, ROLE)
        .refine((role) => !isAdminRole(role), ROLE),
      'must be a list of roles',
    )
    .min(1, 'must name at least one role')
    .default([...DEFAULT_CLUSTER_ROLES])
    .describe('roles that clusters get in their application credentials, of those that their owner has; never admin')

const COUNT = 'must be an integer of 0 or more'
const limit = (usual: number, what: string) =>
  z.int(COUNT).min(0, COUNT).max(999_999_999, 'must be below 1,000,000,000').default(usual).describe(what)

/** How much a project may have. */
export const projectLimits = {
  clustersPerProject: limit(20, 'clusters that a project without a quota of its own may have'),
  federationsPerProject: limit(PROJECT_LIMITS.federations, 'federations that a project may have'),
  templatesPerProject: limit(PROJECT_LIMITS.templates, 'cluster templates that a project may have'),
  operationsPerProject: limit(
    PROJECT_LIMITS.operations,
    'creates, changes and joins that a project may have in progress; deletes and unjoins are taken at any time',
  ),
  grantsPerProject: limit(PROJECT_LIMITS.grants, 'grants of its clusters that a project may have given'),
  requestsPerProject: limit(200, 'requests a second of a project, of each instance of a function; 0: any number'),
  requestsPerPrincipal: limit(100, 'requests a second of one caller, of each instance of a function; 0: any number'),
}

/** Characters that a function's environment (4 KB) has for these, beside what else is in it. */
const ENVIRONMENT_MAX = 3_000

type LongSettings = { eksRoles: readonly string[]; eksClusters: readonly string[]; keystoneCa?: string | undefined }

/** Lists of EKS that do not fit into the environment of the functions that check them. */
export const eksEnvironmentFaults = ({ eksRoles, eksClusters, keystoneCa = '' }: LongSettings): [string, string][] => {
  const grants = [...eksRoles, ...eksClusters].join(',')
  if (grants === '' || grants.length + keystoneCa.length <= ENVIRONMENT_MAX) return []
  const message = `has more than a function's environment holds: with eksClusters and keystoneCa at most ${ENVIRONMENT_MAX} characters. Use \`*\` in names`
  return [['eksRoles', message]]
}
