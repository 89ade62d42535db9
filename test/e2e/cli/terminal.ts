import { spawn } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'

/** What a person does: waits to see something, types, or sends a signal. */
export type Step = { until: string } | { send: string } | { stopped: true } | { signal: string }

export type Terminal = { rows?: number; columns?: number; env?: Readonly<Record<string, string>> }

const MAIN = path.resolve(import.meta.dirname, '../../../cli/main.ts')

/** Runs the command line in a pseudo-terminal. */
export const inTerminal = async (
  args: readonly string[],
  steps: readonly Step[],
  { rows = 24, columns = 100, env = {} }: Terminal = {},
): Promise<{ output: string; code: number }> => {
  const child = spawn('python3', [path.join(import.meta.dirname, 'terminal.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const argv = [process.execPath, MAIN, ...args]
  const base = { PATH: process.env.PATH, TERM: 'xterm-256color' }
  child.stdin.end(JSON.stringify({ argv, env: { ...base, ...env }, rows, columns, steps }))
  return JSON.parse(await text(child.stdout))
}
