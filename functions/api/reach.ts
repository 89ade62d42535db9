import type { PolicyRule } from '../policy/rules.ts'
import type { Reach } from '../store/reach.ts'
import { type Asker, isAllowed } from './policy.ts'

/** Nothing but the caller's own project. */
export const ownReach = ({ principal }: Pick<Asker, 'principal'>): Reach => ({
  projectId: principal.projectId,
  allProjects: false,
})

/** How far a request looks: the own project, and all others when the policy allows the `*_all_projects` rule. */
export const reachOf = (asker: Asker, allProjectsRule?: PolicyRule): Reach => ({
  projectId: asker.principal.projectId,
  allProjects: allProjectsRule !== undefined && isAllowed(asker, allProjectsRule),
})
