import * as z from 'zod'
import { ROLES, type Role } from '../core/values/identity.ts'
import { isPasswordHash } from './password.ts'

/** Name or id of a user or project: it becomes part of database keys, log lines and headers. */
const Name = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text))

const Project = z.strictObject({ name: Name, id: Name.exactOptional(), roles: z.array(z.enum(ROLES)).min(1) })
const User = z.strictObject({
  name: Name,
  id: Name.exactOptional(),
  password: z.string().refine(isPasswordHash),
  projects: z.array(Project).default([]),
})

/** The users of the identity facade, as the operator writes them down (docs/authentication.md). */
const UserFile = z.strictObject({
  /** Region of the catalog's endpoints. */
  region: Name.default('RegionOne'),
  users: z.array(User),
})

/** A project in which a user has roles. */
export type UserProject = { id: string; name: string; roles: readonly Role[] }
export type DirectoryUser = { id: string; name: string; passwordHash: string; projects: readonly UserProject[] }

/** All users, by what clients name them by. Ids default to names. */
export type UserDirectory = {
  region: string
  byId: ReadonlyMap<string, DirectoryUser>
  byName: ReadonlyMap<string, DirectoryUser>
}

const NAME = 'must be text of 1 to 255 characters without control characters'
const NEEDS: Readonly<Record<string, string>> = {
  region: NAME,
  users: 'must be a list of users',
  name: NAME,
  id: NAME,
  password: 'must be a line that `fedplane user hash` prints, and never the password itself',
  projects: 'must be a list of projects with name and roles',
  roles: `must be a list of one or more of ${ROLES.join(', ')}`,
}

/** `users[2].projects[0].roles`: places, which hold no secret. A key that is not known may be anything, so it is not shown. */
const pathOf = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .slice(1)

/** Nothing of zod's message: a misplaced password may be a key or a value, and it would show both. */
const describeIssue = ({ code, path }: z.core.$ZodIssue): string => {
  const where = pathOf(path)
  if (code === 'unrecognized_keys') return `${where || 'the document'} has a field that is not known`
  const field = path.findLast((step) => typeof step === 'string' && step in NEEDS)
  if (path.length === 0 || field === undefined) return 'it is no object with a list of users'
  return typeof path.at(-1) === 'number' && field !== 'roles'
    ? `${where} must be an object`
    : `${where} ${NEEDS[String(field)]}`
}

/** Values that two entries share, though each may be there once. */
const repeated = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
]

/** Faults that only show between entries. */
const conflictsOf = (users: readonly DirectoryUser[]): string[] => {
  const projects = users.flatMap((user) => user.projects)
  const pairs = [...new Map(projects.map((it) => [JSON.stringify([it.name, it.id]), it])).values()]
  return [
    ...repeated(users.map(({ name }) => name)).map((name) => `two users have the name ${JSON.stringify(name)}`),
    ...repeated(users.map(({ id }) => id)).map((id) => `two users have the id ${JSON.stringify(id)}`),
    ...repeated(pairs.map(({ name }) => name)).map((name) => `the project ${JSON.stringify(name)} has two ids`),
    ...repeated(pairs.map(({ id }) => id)).map((id) => `two projects have the id ${JSON.stringify(id)}`),
    ...users.flatMap((user) =>
      repeated(user.projects.map(({ id }) => id)).map(
        (id) => `the user ${JSON.stringify(user.name)} has the project ${JSON.stringify(id)} twice`,
      ),
    ),
  ]
}

/**
 * Users of a parsed document, or what is wrong with it, in words that quote no password.
 *
 * @param document of YAML or JSON
 */
export const parseDirectory = (document: unknown): { directory: UserDirectory } | { faults: string[] } => {
  const parsed = UserFile.safeParse(document)
  if (!parsed.success) return { faults: [...new Set(parsed.error.issues.map(describeIssue))] }
  const users = parsed.data.users.map(
    ({ name, id = name, password, projects }): DirectoryUser => ({
      id,
      name,
      passwordHash: password,
      projects: projects.map((project) => ({ ...project, id: project.id ?? project.name })),
    }),
  )
  const faults = conflictsOf(users)
  if (faults.length > 0) return { faults }
  return {
    directory: {
      region: parsed.data.region,
      byId: new Map(users.map((user) => [user.id, user])),
      byName: new Map(users.map((user) => [user.name, user])),
    },
  }
}
