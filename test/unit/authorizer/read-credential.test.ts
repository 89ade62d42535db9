import { describe, expect, it } from 'vitest'
import { parseCredential } from '../../../functions/authorizer/settings.schema.ts'
import { everythingOf, thrownBy } from '../../support/kubernetes/leaks.ts'

const SECRET = 'marker-secret'

describe('parseCredential', () => {
  it.each([
    [{ application_credential_id: 'id', application_credential_secret: SECRET }],
    [{ username: 'fedplane', password: SECRET, project_name: 'service' }],
  ])('reads a secret as clouds.yaml names it (case %#)', (secret) => {
    const credential = parseCredential(JSON.stringify(secret), 'The secret')
    expect(credential).toMatchObject({ ...secret, ...secretsOf(credential) })
    expect(JSON.stringify(credential)).not.toContain(SECRET)
  })

  it.each([
    `{"password":"${SECRET}"`,
    SECRET,
    '',
    'null',
    `["${SECRET}"]`,
    JSON.stringify({ username: 'fedplane', password: SECRET }),
    JSON.stringify({ application_credential_id: SECRET }),
    JSON.stringify({ application_credential_id: 'id', application_credential_secret: [SECRET] }),
  ])('refuses other text without showing it (case %#)', (text) => {
    const error = thrownBy(() => parseCredential(text, 'The secret'))
    expect(error).toMatchObject({ name: 'IdentityProviderUnavailable', message: expect.stringMatching(/project_name/) })
    expect(everythingOf(error)).not.toContain(SECRET)
  })
})

/** The fields that are hidden, as they are. */
const secretsOf = (credential: object): object =>
  Object.fromEntries(Object.entries(credential).filter(([, value]) => typeof value === 'object'))
