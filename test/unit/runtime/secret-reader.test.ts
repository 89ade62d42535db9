import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { describe, expect, it } from 'vitest'
import { secretReader } from '../../../functions/runtime/secret-reader.ts'

const ARN = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:fedplane/keystone-a1B2c3'

/** A client that answers so, and keeps what it was asked. */
const clientWith = (answer: () => unknown) => {
  const asked: unknown[] = []
  const send = async (command: unknown, options: unknown): Promise<unknown> => {
    asked.push(command instanceof GetSecretValueCommand && { ...command.input, options })
    return answer()
  }
  return { asked, client: { send } as unknown as SecretsManagerClient }
}

describe('secretReader', () => {
  it('reads the secret of its ARN within the time of the question', async () => {
    const { asked, client } = clientWith(() => ({ SecretString: 'text' }))
    const { signal } = new AbortController()
    expect(await secretReader(ARN, client)(signal)).toBe('text')
    expect(asked).toEqual([{ SecretId: ARN, options: { abortSignal: signal } }])
  })

  it('takes a binary secret for an empty one', async () => {
    const { client } = clientWith(() => ({ SecretBinary: new Uint8Array([1]) }))
    expect(await secretReader(ARN, client)(new AbortController().signal)).toBe('')
  })

  it('says that the secret is not available, and may be later', async () => {
    const cause = new Error('AccessDenied')
    const { client } = clientWith(() => {
      throw cause
    })
    await expect(secretReader(ARN, client)(new AbortController().signal)).rejects.toMatchObject({
      name: 'SecretUnavailable',
      retryable: true,
      cause,
    })
  })
})
