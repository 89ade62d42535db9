import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { createByFedplane, createByKarmadactl } from './creates.ts'
import { joinsByFedplane, joinsByKarmadactl, shown } from './joins.ts'
import { type Results, table } from './report.ts'
import { simulatedJoins } from './simulated-joins.ts'

/**
 * `npm run bench:karmada`: karmadactl and fedplane on the same machine, in one run and in turn. Needs what the end-to-end tests of karmada@1 need, root, some
 * 8 GB of memory and half an hour.
 */

const tell = (text: string): void => void process.stderr.write(`${text}\n`)

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    members: { type: 'string', default: '1,10,25' },
    simulated: { type: 'string', default: '50' },
    json: { type: 'string' },
  },
})
const counts = values.members === '' ? [] : values.members.split(',').map(Number)
const simulated = Number(values.simulated)

const creates = async (rounds: number): Promise<Results['creates']> => {
  const rows: Results['creates'] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const [tool, create] of [
      ['karmadactl', createByKarmadactl],
      ['fedplane', createByFedplane],
    ] as const) {
      const seconds = await create()
      tell(`create by ${tool}: ${seconds.toFixed(1)} s`)
      rows.push({ tool, seconds })
    }
  }
  return rows
}

const results: Results = { creates: await creates(Number(values.rounds)), joins: [] }
for (const joins of [joinsByKarmadactl, joinsByFedplane]) {
  if (counts.length > 0) results.joins.push(...(await joins(counts, tell)))
}
if (simulated > 0) {
  const row = await simulatedJoins(simulated)
  tell(shown(row))
  results.joins.push(row)
}
process.stdout.write(table(results))
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`)
