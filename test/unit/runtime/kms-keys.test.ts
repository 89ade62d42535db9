import { InvalidCiphertextException, type KMSClient } from '@aws-sdk/client-kms'
import { describe, expect, it } from 'vitest'
import { kmsKeys } from '../../../functions/runtime/aws-keys.ts'
import { noKeys } from '../../../functions/runtime/aws-table-ports.ts'
import { KeyAccessMissing, KeyServiceUnavailable } from '../../../functions/runtime/errors.ts'
import { CredentialUnreadable } from '../../../functions/store/errors.ts'

const KEY = 'arn:aws:kms:eu-central-1:111122223333:key/k'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const keysWith = (answer: unknown) => {
  const sent: unknown[] = []
  const send = (command: { input: unknown }): Promise<unknown> => {
    sent.push(command.input)
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  }
  return { sent, keys: kmsKeys({ send } as unknown as Pick<KMSClient, 'send'>, KEY) }
}

describe('kmsKeys', () => {
  it('makes a data key of 256 bits bound to the context', async () => {
    const { sent, keys } = keysWith({ Plaintext: bytes('plain'), CiphertextBlob: bytes('wrapped') })
    expect(await keys.generateDataKey({ project: 'p' })).toEqual({
      plaintext: bytes('plain'),
      wrapped: bytes('wrapped'),
    })
    expect(sent).toEqual([{ KeyId: KEY, KeySpec: 'AES_256', EncryptionContext: { project: 'p' } }])
  })

  it('unwraps with the same key and context', async () => {
    const { sent, keys } = keysWith({ Plaintext: bytes('plain') })
    expect(await keys.decrypt(bytes('wrapped'), { project: 'p' })).toEqual(bytes('plain'))
    expect(sent).toEqual([{ KeyId: KEY, CiphertextBlob: bytes('wrapped'), EncryptionContext: { project: 'p' } }])
  })

  it('tells a wrong context or key apart from a fault', async () => {
    const refused = new InvalidCiphertextException({ message: 'no', $metadata: {} })
    await expect(keysWith(refused).keys.decrypt(bytes('w'), {})).rejects.toBeInstanceOf(CredentialUnreadable)
    await expect(keysWith(new Error('throttled')).keys.decrypt(bytes('w'), {})).rejects.toMatchObject({
      name: 'KeyServiceUnavailable',
      retryable: true,
    })
    await expect(keysWith(new Error('throttled')).keys.generateDataKey({})).rejects.toBeInstanceOf(
      KeyServiceUnavailable,
    )
  })

  it('does not take an empty answer for a key', async () => {
    await expect(keysWith({}).keys.generateDataKey({})).rejects.toThrow(/answered without a key/)
  })
})

describe('noKeys', () => {
  it('refuses keys both ways', async () => {
    await expect(noKeys.generateDataKey({})).rejects.toBeInstanceOf(KeyAccessMissing)
    await expect(noKeys.decrypt(bytes('w'), {})).rejects.toBeInstanceOf(KeyAccessMissing)
  })
})
