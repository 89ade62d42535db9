import * as z from 'zod'
import { type Principal, ROLES } from '../domain/principal.ts'
import { Unauthenticated } from './errors.ts'

const principal = z.object({
  userId: z.string().min(1),
  projectId: z.string().min(1),
  roles: z.array(z.string()).transform((roles) => ROLES.filter((role) => roles.includes(role))),
  source: z.enum(['local', 'token-file', 'keystone', 'oidc']),
})

/** What the authorizer put into the event: it always allows, and says who it is or why nobody (design section 7). */
const authorizerContext = z.union([z.object({ principal }), z.object({ reason: z.string() })])

const requestContext = z.object({ authorizer: z.object({ lambda: authorizerContext }) })

const NOBODY = 'The request you have made requires authentication.'

/** @throws Unauthenticated with the authorizer's reason */
export const principalOf = (context: unknown): Principal => {
  const parsed = requestContext.safeParse(context)
  if (!parsed.success) throw new Unauthenticated(NOBODY)
  const { lambda } = parsed.data.authorizer
  if ('principal' in lambda) return lambda.principal
  throw new Unauthenticated(lambda.reason === '' ? NOBODY : lambda.reason)
}
