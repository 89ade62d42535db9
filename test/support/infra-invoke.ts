import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const SCRIPT = `
const { handler } = require(process.argv[1])
const events = JSON.parse(process.argv[2])
const run = async () => {
  const answers = []
  for (const event of events) answers.push(await handler(event))
  process.stderr.write('ANSWERS' + JSON.stringify(answers))
}
run()
`

/**
 * Calls a bundled Lambda function on bare Node with nothing but its settings, as Lambda does: answers in order.
 *
 * @param file its `index.js`
 */
export const invokeBundle = async (
  file: string,
  env: Record<string, string>,
  events: readonly unknown[],
): Promise<{ answers: unknown[]; log: string }> => {
  const args = ['-e', SCRIPT, file, JSON.stringify(events)]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env, timeout: 30_000 })
  const text = stderr.split('ANSWERS')[1]
  if (text === undefined) throw new Error(`The function gave no answers: ${stderr}`)
  return { answers: JSON.parse(text), log: stdout }
}
