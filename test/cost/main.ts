import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { COUNTS_FILE, REPORT_FILE, readCounts } from './files.ts'
import { measure } from './measure.ts'
import { reportOf } from './report.ts'

const HELP = `npm run cost [-- --prices]

Measures what actions ask of AWS, keeps it in test/cost/counts.json, and writes docs/cost.md. With --prices nothing is measured:
docs/cost.md is written anew from what is kept, after a change of prices or assumptions.
`

const tell = (line: string): void => void process.stderr.write(`${line}\n`)

const { values } = parseArgs({ options: { prices: { type: 'boolean' }, help: { type: 'boolean' } } })
if (values.help) {
  process.stdout.write(HELP)
} else {
  if (!values.prices) await writeFile(COUNTS_FILE, `${JSON.stringify(await measure(tell), null, 2)}\n`)
  await writeFile(REPORT_FILE, reportOf(await readCounts()))
  tell(`Wrote ${REPORT_FILE}.`)
}
