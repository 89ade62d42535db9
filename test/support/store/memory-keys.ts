import { createSecretKey, randomBytes } from 'node:crypto'
import type { KeyService } from '../../../functions/core/ports.ts'
import { aesKeyService } from '../../../local/keys/key-file.ts'

export type CountingKeys = KeyService & {
  /** How often it was asked. */
  calls: { generated: number; decrypted: number }
  /** Refuses everything from now on. */
  deny(): void
}

/** A key service that lives as long as the test and counts how often it is asked. */
export const memoryKeys = (): CountingKeys => {
  const service = aesKeyService(createSecretKey(randomBytes(32)))
  const calls = { generated: 0, decrypted: 0 }
  let denied = false
  const requireRights = (): void => {
    if (denied) throw new Error('denied')
  }
  return {
    calls,
    deny: () => {
      denied = true
    },
    generateDataKey: async (context) => {
      requireRights()
      calls.generated++
      return service.generateDataKey(context)
    },
    decrypt: async (wrapped, context) => {
      requireRights()
      calls.decrypted++
      return service.decrypt(wrapped, context)
    },
  }
}
