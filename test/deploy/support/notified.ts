import {
  EventBridgeClient,
  type EventBridgeClientConfig,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import type { NotificationDetail } from '../../../functions/core/values/event.ts'
import { askJson } from './aws-json.ts'
import { ACCOUNT, type Emulator, REGION } from './emulator.ts'

const QUEUE = 'notified'

/** A consumer of notifications, as docs/events.md has one: a rule on the bus, and a queue. */
export class Notified {
  readonly #emulator: Emulator
  #url = ''

  constructor(emulator: Emulator) {
    this.#emulator = emulator
  }

  async subscribe(clientOptions: EventBridgeClientConfig): Promise<void> {
    const queue = { QueueName: QUEUE }
    this.#url = (await askJson<{ QueueUrl: string }>(this.#emulator, 'AmazonSQS.CreateQueue', queue)).QueueUrl
    const client = new EventBridgeClient(clientOptions)
    const rule = { Name: QUEUE, EventBusName: 'fedplane' }
    const EventPattern = JSON.stringify({ source: ['fedplane'], 'detail-type': [{ prefix: 'magnum.' }] })
    await client.send(new PutRuleCommand({ ...rule, EventPattern }))
    const Arn = `arn:aws:sqs:${REGION}:${ACCOUNT}:${QUEUE}`
    await client.send(new PutTargetsCommand({ Rule: QUEUE, EventBusName: 'fedplane', Targets: [{ Id: QUEUE, Arn }] }))
    client.destroy()
  }

  /** All notifications that came since the last call. */
  async received(): Promise<NotificationDetail[]> {
    const input = { QueueUrl: this.#url, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }
    const found: NotificationDetail[] = []
    for (;;) {
      const { Messages = [] } = await askJson<{ Messages?: { Body: string; ReceiptHandle: string }[] }>(
        this.#emulator,
        'AmazonSQS.ReceiveMessage',
        input,
      )
      if (Messages.length === 0) return found
      for (const { Body, ReceiptHandle } of Messages) {
        found.push((JSON.parse(Body) as { detail: NotificationDetail }).detail)
        await askJson(this.#emulator, 'AmazonSQS.DeleteMessage', { QueueUrl: this.#url, ReceiptHandle })
      }
    }
  }
}
