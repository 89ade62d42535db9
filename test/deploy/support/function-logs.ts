import type { Emulator } from './emulator.ts'

type Groups = { logGroups: { logGroupName: string }[] }
type Events = { events: { message: string }[]; nextToken?: string }

/** One call of CloudWatch Logs; the emulator does not look at the signature of its own account's key. */
const ask = async <T>(emulator: Emulator, action: string, input: object): Promise<T> => {
  const answer = await fetch(emulator.environment.AWS_ENDPOINT_URL ?? '', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `Logs_20140328.${action}`,
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/eu-central-1/logs/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify(input),
  })
  if (!answer.ok) throw new Error(`${action} was answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}

/** Every line that functions, machines and gateway have written to their log groups. */
export const functionLogs = async (emulator: Emulator): Promise<string[]> => {
  const lines: string[] = []
  for (const { logGroupName } of (await ask<Groups>(emulator, 'DescribeLogGroups', {})).logGroups) {
    let nextToken: string | undefined
    do {
      const page: Events = await ask(emulator, 'FilterLogEvents', { logGroupName, ...(nextToken && { nextToken }) })
      lines.push(...page.events.map(({ message }) => message))
      nextToken = page.nextToken
    } while (nextToken !== undefined)
  }
  return lines
}
