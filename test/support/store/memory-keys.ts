import { createSecretKey, randomBytes } from 'node:crypto'
import type { KeyService } from '../../../functions/runtime/ports.ts'
import { aesKeyService } from '../../../local/keys/aes-key-service.ts'

export type CountingKeys = KeyService & {
  /** How often it was asked. */
  calls: { generated: number; decrypted: number }
}

/** A key service that lives as long as the test and counts how often it is asked. */
export const memoryKeys = (): CountingKeys => {
  const service = aesKeyService(createSecretKey(randomBytes(32)))
  const calls = { generated: 0, decrypted: 0 }
  return {
    calls,
    generateDataKey: (context) => {
      calls.generated++
      return service.generateDataKey(context)
    },
    decrypt: (wrapped, context) => {
      calls.decrypted++
      return service.decrypt(wrapped, context)
    },
  }
}
