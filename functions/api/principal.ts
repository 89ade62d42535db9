import * as z from 'zod'
import { type Principal, ROLES } from '../core/values/principal.ts'
import { IdentityUnknown, Unauthenticated } from './errors.ts'

const principal = z.object({
  userId: z.string().min(1),
  projectId: z.string().min(1),
  roles: z.array(z.string()).transform((roles) => ROLES.filter((role) => roles.includes(role))),
  source: z.enum(['local', 'token-file', 'keystone', 'oidc']),
})

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue('not JSON')
    return z.NEVER
  }
})

/** What the authorizer put into the event (`functions/core/values/identity.ts`): it always allows, and says who it is or why nobody. */
const authorizerContext = z.union([
  z.object({ principal: json.pipe(principal) }),
  z.object({ reason: z.string() }),
  z.object({ unavailable: z.string() }),
])

const requestContext = z.object({ authorizer: z.object({ lambda: authorizerContext }) })

const NOBODY = 'The request you have made requires authentication.'

/**
 * @throws Unauthenticated with the authorizer's reason
 * @throws IdentityUnknown when the authorizer could not find out
 */
export const principalOf = (context: unknown): Principal => {
  const parsed = requestContext.safeParse(context)
  if (!parsed.success) throw new Unauthenticated(NOBODY)
  const { lambda } = parsed.data.authorizer
  if ('principal' in lambda) return lambda.principal
  if ('unavailable' in lambda) throw new IdentityUnknown(lambda.unavailable)
  throw new Unauthenticated(lambda.reason === '' ? NOBODY : lambda.reason)
}
