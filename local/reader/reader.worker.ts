import { parentPort } from 'node:worker_threads'
import { isAppError } from '../../functions/core/values/app-error.ts'
import { Secret } from '../../functions/core/values/secret.ts'
import { readHealth } from '../../functions/drivers/support/registered/read-health.ts'
import { localPolicy } from '../../functions/kubernetes/address-guard.ts'
import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import { connectWith } from '../../functions/kubernetes/connect.ts'
import { decodeConnection } from '../../functions/kubernetes/stored-connection.ts'
import type { Answered, Asked, Read, SentError } from './messages.ts'

// The thread that reads what clusters answer in the health sweep. It holds no store and no key, and answers with what is bounded already.

const connect = connectWith({ policy: localPolicy })
const clients = new Map<number, KubernetesClient>()

const call = (client: KubernetesClient, method: Read, given: readonly unknown[]): Promise<unknown> => {
  if (method === 'readHealth') return readHealth(client)
  const run = client[method] as (...args: readonly unknown[]) => Promise<unknown>
  return run(...given)
}

/** Errors that are not ours name no more than their kind: their text may hold what was read. */
const sent = (error: unknown): SentError =>
  isAppError(error)
    ? { name: error.name, message: error.message, details: error.details }
    : { name: error instanceof Error ? error.name : 'unknown', message: '', details: {} }

const answer = async ({ id, client: of, method, given }: Extract<Asked, { kind: 'call' }>): Promise<Answered> => {
  try {
    const client = clients.get(of)
    if (client === undefined) throw new TypeError('The client is closed.')
    return { id, value: await call(client, method, given) }
  } catch (error) {
    return { id, error: sent(error) }
  }
}

parentPort?.on('message', async (asked: Asked) => {
  switch (asked.kind) {
    case 'open':
      clients.set(asked.client, connect(decodeConnection(new Secret(asked.connection)), asked.limits))
      return
    case 'close':
      clients.get(asked.client)?.close()
      clients.delete(asked.client)
      return
    case 'call':
      parentPort?.postMessage(await answer(asked))
  }
})
