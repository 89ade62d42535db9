import * as z from 'zod'
import { DEFAULT_CLUSTER_ROLES, isAdminRole } from '../../functions/cloud/cluster-roles.ts'

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
