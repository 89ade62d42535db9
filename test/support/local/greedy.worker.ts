import { parentPort } from 'node:worker_threads'
import type { Asked } from '../../../local/reader/messages.ts'

// Stands for a reading thread that bounds do not help: what it reads from the host `greedy` takes all memory, what it reads from `stuck` never ends; from others it answers the host's name.

const hosts = new Map<number, string>()

const takeAll = (): never => {
  const taken: unknown[] = []
  for (;;) taken.push(Array.from({ length: 10_000 }, (_, index) => ({ index })))
}

parentPort?.on('message', (asked: Asked) => {
  if (asked.kind === 'open') hosts.set(asked.client, new URL(JSON.parse(asked.connection).server).hostname)
  if (asked.kind !== 'call') return
  const host = hosts.get(asked.client)
  // Others are still waiting for their answers then.
  if (host === 'greedy') setTimeout(takeAll, 100)
  else if (host !== 'stuck') setTimeout(() => parentPort?.postMessage({ id: asked.id, value: host }), 500)
})
