import type { PolicyRule } from '../policy/rules.ts'
import type { Scope } from '../store/scope.ts'
import { type Asker, isAllowed } from './policy.ts'

/** Nothing but the caller's own project. */
export const ownScope = ({ principal }: Pick<Asker, 'principal'>): Scope => ({
  projectId: principal.projectId,
  allProjects: false,
})

/** How far a request looks: the own project, and all others when the policy allows the `*_all_projects` rule. */
export const scopeOf = (asker: Asker, allProjectsRule?: PolicyRule): Scope => ({
  projectId: asker.principal.projectId,
  allProjects: allProjectsRule !== undefined && isAllowed(asker, allProjectsRule),
})
