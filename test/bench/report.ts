import { CONCURRENCY } from './figures.ts'
import { type Goal, goalsOf, type Results } from './goals.ts'

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

const figuresTable = ({ figures, ratios }: Results): string =>
  table(
    ['request', 'samples', 'p50 ms', 'p99 ms', 'per second', 'raw x'],
    figures.map(({ name, samples, p50, p99, perSecond }) => [
      name,
      String(samples),
      p50.toFixed(1),
      p99.toFixed(1),
      perSecond.toFixed(1),
      ratios[name]?.toFixed(2) ?? '',
    ]),
  )

const goalsTable = (goals: readonly Goal[]): string =>
  table(
    ['goal', 'measured', 'at most', ''],
    goals.map(({ name, value, limit, met }) => [name, value, limit, met ? 'met' : 'MISSED']),
  )

/** Everything as Markdown, for a terminal or for docs/benchmarks.md. */
export const report = (results: Results): string => {
  const { burst, machine, clusters, date } = results
  const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`
  return [
    `${date.slice(0, 10)}, ${machine.cpus}, Node ${machine.node}, ${clusters} clusters; latencies one request at a time, rates with ${CONCURRENCY} at a time.`,
    figuresTable(results),
    `${burst.creates} creates at once: ${burst.errors} errors, all answered after ${seconds(burst.totalMs)} (p50 ${seconds(burst.p50)}, p99 ${seconds(burst.p99)}), ` +
      `all complete after ${seconds(burst.completeMs)}; the server then has ${results.residentMb.end.toFixed(0)} MB.`,
    `From a request to join until the member is Ready ${results.relabel.joinMs.toFixed(0)} ms, from a new label ${results.relabel.relabelMs.toFixed(0)} ms (p50 of ${results.relabel.samples} each, \`clusterprofile@1\` over simulated clusters).`,
    ...burst.said.map((text) => `- ${text}`),
    goalsTable(goalsOf(results)),
    '',
  ].join('\n\n')
}
