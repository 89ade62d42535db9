import * as z from 'zod'

const text = z.string().min(1)
const role = z.object({ id: text, name: text })

/**
 * A token's description (answer to GET and POST /v3/auth/tokens), as far as it is used. `application_credential` is there when the token
 * was got with one; `OS-FEDERATION` when the user came through an identity provider of Keystone's.
 */
export const DescribedToken = z.object({
  token: z.object({
    user: z.object({ id: text, 'OS-FEDERATION': z.looseObject({}).optional() }),
    project: z.object({ id: text }).optional(),
    roles: z.array(role).default([]),
    application_credential: z.object({ restricted: z.boolean().default(true) }).optional(),
  }),
})
export type DescribedToken = z.infer<typeof DescribedToken>['token']
export type KeystoneRole = z.infer<typeof role>

/** Answer to POST /v3/users/{user}/application_credentials: the only one that has the secret. */
export const MadeCredential = z.object({ application_credential: z.object({ id: text, secret: text }) })

/** Answer to GET /v3/users/{user}/application_credentials?name=. */
export const ListedCredentials = z.object({
  application_credentials: z.array(z.object({ id: text, name: text })),
})

/** Keystone's body of a refusal. */
export const KeystoneError = z.object({ error: z.object({ message: z.string() }) })
