import { askJson } from './aws-json.ts'
import type { Emulator } from './emulator.ts'

type Groups = { logGroups: { logGroupName: string }[] }
type Events = { events: { message: string }[]; nextToken?: string }

/** Every line that functions, machines and gateway have written to their log groups. */
export const functionLogs = async (emulator: Emulator): Promise<string[]> => {
  const lines: string[] = []
  for (const { logGroupName } of (await askJson<Groups>(emulator, 'Logs_20140328.DescribeLogGroups', {})).logGroups) {
    let nextToken: string | undefined
    do {
      const input = { logGroupName, ...(nextToken && { nextToken }) }
      const page: Events = await askJson(emulator, 'Logs_20140328.FilterLogEvents', input)
      lines.push(...page.events.map(({ message }) => message))
      nextToken = page.nextToken
    } while (nextToken !== undefined)
  }
  return lines
}
