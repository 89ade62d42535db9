import { type Principal, ROLES, type Role } from '../core/values/identity.ts'

/**
 * What an ARN is looked up by. Of a role its account and name: who has assumed it comes with a session's name, and without the role's path. Names of
 * roles are unique in an account.
 */
const lookupKey = (arn: string): string => {
  const [, partition = '', service = '', , account = '', resource = ''] = arn.split(':')
  const [kind, ...path] = resource.split('/')
  const name = service === 'sts' && kind === 'assumed-role' ? path[0] : kind === 'role' ? path.at(-1) : undefined
  return name === undefined ? arn : `${partition} ${account} ${name}`
}

type Granted = { projectId: string; roles: readonly Role[] }

/** `shop:member=arn:aws:iam::111122223333:role/deploy`: whoever is the ARN is a member of the project shop. */
const parse = (entry: string): { key: string; projectId: string; role: Role | undefined } => {
  const equals = entry.indexOf('=')
  const who = entry.slice(0, equals)
  const colon = who.lastIndexOf(':')
  const role = ROLES.find((it) => it === who.slice(colon + 1))
  return { key: lookupKey(entry.slice(equals + 1)), projectId: who.slice(0, colon), role }
}

/**
 * Who callers with credentials of AWS are: by a mapping that the operator deploys, never by what they say. An ARN that it does not have is nobody.
 *
 * @param text entries as above, separated by blanks; a project and a role each, which add up
 */
export const awsCallers = (text: string): ((userArn: string) => Principal | undefined) => {
  const granted = new Map<string, Granted>()
  for (const entry of text.split(' ').filter(Boolean)) {
    const { key, projectId, role } = parse(entry)
    const before = granted.get(key)?.roles ?? []
    granted.set(key, { projectId, roles: role === undefined ? before : [...before, role] })
  }
  return (userArn) => {
    const found = granted.get(lookupKey(userArn))
    return found && { userId: userArn, ...found, source: 'aws' }
  }
}
