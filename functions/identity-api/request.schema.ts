import * as z from 'zod'
import { ROLES } from '../core/values/identity.ts'

/** Half a surrogate pair is no Unicode, and no database takes it. */
const Text = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => text.isWellFormed(), 'must be Unicode')
const Domain = z.object({ id: Text.optional(), name: Text.optional() })
const Named = z.object({ id: Text.optional(), name: Text.optional(), domain: Domain.optional() })
/** Longer ones would only keep scrypt busy. */
const SecretText = z.string().max(4096)

const Identity = z.object({
  methods: z.array(z.string()),
  password: z.object({ user: Named.extend({ password: SecretText }) }).optional(),
  token: z.object({ id: z.string().max(8192) }).optional(),
  application_credential: z
    .object({ id: Text.optional(), name: Text.optional(), user: Named.optional(), secret: SecretText })
    .optional(),
})
export type Identity = z.output<typeof Identity>

const Scope = z.union([z.literal('unscoped'), z.looseObject({ project: Named.optional() })])
export type Scope = z.output<typeof Scope>
export type Named = z.output<typeof Named>

/** Body of POST /v3/auth/tokens (Identity API v3), as far as it is understood. */
export const AuthRequest = z.object({ auth: z.object({ identity: Identity, scope: Scope.optional() }) })

const NOT_TAKEN = 'is made here: leave it out'

/** Body of POST /v3/users/{user_id}/application_credentials. */
export const CredentialRequest = z.object({
  application_credential: z.object({
    name: Text,
    description: z.string().max(1024).nullish(),
    roles: z.array(z.object({ id: Text.optional(), name: Text.optional() })).nullish(),
    expires_at: z.string().max(64).nullish(),
    unrestricted: z.boolean().nullish(),
    secret: z.null(NOT_TAKEN).optional(),
    project_id: Text.nullish(),
    access_rules: z.array(z.never(), 'are not enforced here: leave them out').nullish(),
  }),
})
export type CredentialRequest = z.output<typeof CredentialRequest>['application_credential']

export const RoleName = z.enum(ROLES)
