import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedDynamoDb, openEmbeddedDynamoDb } from '../../local/dynamodb/embedded-dynamodb.ts'
import { command } from '../support/dynamodb/commands.ts'
import { answerOf, empty, openSubject, sameAnswer } from '../support/dynamodb/differential.ts'
import { type Emulator, startEmulator } from './support/emulator.ts'

/** Sequences of commands; each has fifteen on average. */
const RUNS = 100

describe('the embedded database', () => {
  let emulator: Emulator
  let embedded: EmbeddedDynamoDb
  let ours: DynamoDBClient
  let theirs: DynamoDBClient
  beforeAll(async () => {
    emulator = await startEmulator()
    embedded = openEmbeddedDynamoDb({ dataDir: undefined })
    ours = await openSubject(embedded.connection)
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
    theirs = await openSubject({ region: 'us-east-1', endpoint: `http://127.0.0.1:${emulator.port}`, credentials })
  })
  afterAll(async () => {
    for (const client of [ours, theirs]) client?.destroy()
    embedded?.stop()
    await emulator?.close()
  })

  it('answers random commands as the emulator of AWS does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 30 }), async (commands) => {
        await Promise.all([empty(ours), empty(theirs)])
        for (const it of commands) {
          const [one, other] = await Promise.all([answerOf(ours, it), answerOf(theirs, it)])
          if (!sameAnswer(one, other)) expect({ command: it, answer: one }).toEqual({ command: it, answer: other })
        }
      }),
      { numRuns: RUNS },
    )
  })
})
