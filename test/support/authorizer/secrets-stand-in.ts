import { bodyOf, type Loopback, sendJson, startLoopback } from './loopback.ts'

/** Stands in for AWS Secrets Manager: `GetSecretValue` over its JSON protocol, of the secrets given by ARN. */
export const startSecrets = (secrets: ReadonlyMap<string, string>): Promise<Loopback> =>
  startLoopback(async (message, response) => {
    const { SecretId: arn } = JSON.parse(await bodyOf(message)) as { SecretId: string }
    const text = secrets.get(arn)
    const isRead = message.headers['x-amz-target'] === 'secretsmanager.GetSecretValue'
    if (isRead && text !== undefined) return sendJson(response, 200, { ARN: arn, Name: 'secret', SecretString: text })
    sendJson(response, 400, { __type: 'ResourceNotFoundException', message: 'no such secret' })
  })
