import { globSync, readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import path from 'node:path'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'

const ROOT = path.join(import.meta.dirname, '../../..')

describe('clients of AWS', () => {
  it('have time-outs, all of them', () => {
    const made = globSync(['functions/**/*.ts', 'infra/**/*.ts'], { cwd: ROOT }).flatMap((file) => {
      const text = readFileSync(path.join(ROOT, file), 'utf8')
      return [...text.matchAll(/new (?:SFN|KMS|DynamoDB|EventBridge|Lambda|SecretsManager)Client\(([^\n]*)/g)].map(
        ([, options = '']) => ({ file, options }),
      )
    })
    expect(made.length).toBeGreaterThan(6)
    expect(made.filter(({ options }) => !/AWS_CLIENT_OPTIONS|AWS_TIME_OUTS/.test(options))).toEqual([])
  })
})

describe('a database that takes connections and never answers', () => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket))
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it('is given up', async () => {
    const { port } = server.address() as { port: number }
    const client = openDocumentClient({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'local',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      maxAttempts: 1,
    })
    const asked = client.send(new GetCommand({ TableName: 't', Key: { pk: 'a', sk: 'b' } }))
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' })
    client.destroy()
  })
})
