import { parseArgs } from 'node:util'

export const HELP = `Usage: npm run bench -- [options]

Starts fedplane as npm start does, fills it with clusters of memory@1 and measures lists, show and create.

Options:
  --clusters N   clusters to list (default 1000, a whole page)
  --rounds N     samples of each list (default 30)
  --creates N    creates at the same time (default 500)
  --sweep        measures the health sweep instead, over 10000 clusters of one simulated API
  --json FILE    writes the figures there too
  --check        exit code 1 when a goal is missed
  --help         this text
`

export type BenchOptions = {
  clusters: number
  rounds: number
  creates: number
  sweep: boolean
  json: string | undefined
  check: boolean
}

const OPTIONS = {
  clusters: { type: 'string' },
  rounds: { type: 'string', default: '30' },
  creates: { type: 'string', default: '500' },
  sweep: { type: 'boolean', default: false },
  json: { type: 'string' },
  check: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const countOf = (name: string, text: string): number => {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new RangeError(`--${name} is ${JSON.stringify(text)}. Give it an integer from 1 to 99999.`)
}

/** @throws RangeError, TypeError for what is wrong, in a sentence */
export const readOptions = (args: readonly string[]): BenchOptions | 'help' => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false })
  if (values.help) return 'help'
  return {
    clusters: countOf('clusters', values.clusters ?? (values.sweep ? '10000' : '1000')),
    rounds: countOf('rounds', values.rounds),
    creates: countOf('creates', values.creates),
    sweep: values.sweep,
    json: values.json,
    check: values.check,
  }
}
