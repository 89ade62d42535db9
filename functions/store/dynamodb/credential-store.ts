import * as z from 'zod'
import type { CredentialStore } from '../credential.store.ts'
import { CredentialUnreadable } from '../errors.ts'
import type { KeyOfProject } from '../sealing/project-keys.ts'
import { seal, unseal } from '../sealing/seal.ts'
import { asWrite } from './action.ts'
import { schemaVersion } from './item.schema.ts'
import { credentialKey } from './keys.ts'
import { parseItem } from './parse-item.ts'
import { getItem } from './read.ts'
import type { StoreContext } from './store-context.ts'

export const CREDENTIAL_SCHEMA_VERSION = 1

export const credentialItem = z.object({
  schemaVersion: schemaVersion(CREDENTIAL_SCHEMA_VERSION),
  sealed: z.instanceof(Uint8Array),
})

/** Sealed secrets in DynamoDB. */
export const dynamoCredentialStore = (context: StoreContext, keyOf: KeyOfProject): CredentialStore => ({
  get: async (key) => {
    const item = await getItem(context, credentialKey(key))
    if (item === undefined) return undefined
    const { sealed } = parseItem(credentialItem, item)
    return unseal(await keyOf(key.projectId), key, sealed)
  },
  seal: async (key, secret) => {
    const sealed = seal(await keyOf(key.projectId), key, secret)
    return asWrite({
      type: 'put',
      item: { ...credentialKey(key), schemaVersion: CREDENTIAL_SCHEMA_VERSION, sealed },
      onConflict: () => new CredentialUnreadable('unreachable: the write has no condition'),
    })
  },
  remove: (key) =>
    asWrite({
      type: 'delete',
      key: credentialKey(key),
      onConflict: () => new CredentialUnreadable('unreachable: the write has no condition'),
    }),
})
