import process from 'node:process'
import { parseArgs } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { AWS_TIME_OUTS } from '../../functions/http/aws-time-outs.ts'
import { restoreTable } from './restore-table.ts'

const HELP = `npm run restore -- --from RESTORED --to TABLE [--check]

Makes TABLE, the table of an installation, what it was at the point in time that RESTORED was restored to (docs/deploy.md). Nobody
else may write meanwhile. --check changes nothing and says what would be done. Account and Region are those of the AWS CLI.
`

const tell = (line: string): void => void process.stderr.write(`${line}\n`)

const { values } = parseArgs({
  options: { from: { type: 'string' }, to: { type: 'string' }, check: { type: 'boolean' }, help: { type: 'boolean' } },
})
const { from, to, check = false, help = false } = values
if (help || from === undefined || to === undefined || from === to) {
  process.stdout.write(HELP)
  if (!help) process.exitCode = 2
} else {
  const client = new DynamoDBClient({ maxAttempts: 10, requestHandler: AWS_TIME_OUTS })
  const { same, written, deleted } = await restoreTable({ client, from, to, check, tell })
  client.destroy()
  process.stdout.write(
    `${check ? 'To be done: ' : ''}${written} items put back, ${deleted} deleted that came later, ${same} left as they are.\n`,
  )
}
