import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { until } from './engine-lab.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** The command of `npm start`, without npm and `exec node`. */
const START = manifest.scripts.start.split(' ').slice(2)

export type FedplaneProcess = {
  child: ChildProcess
  pid: number
  stdout(): string
  stderr(): string
  /** How it ended. */
  ended: Promise<{ code: number | null; signal: string | null }>
  /** Its URL, once it has said that it listens. @throws when it ends before */
  url(): Promise<string>
}

/** Starts `local/main.ts` as a user does, in a process of its own. */
export const runFedplane = (args: readonly string[], environment: Record<string, string> = {}): FedplaneProcess => {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(FEDPLANE_|npm_lifecycle|VITEST|NODE_)/.test(name),
  )
  const env = { ...Object.fromEntries(inherited), ...environment }
  const child = spawn(process.execPath, [...START, ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const url = () =>
    until(() => {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`ended: ${stdout}${stderr}`)
      return /listening on (\S+)\/v1\n/.exec(stdout)?.[1]
    }, 240_000)
  return { child, pid: child.pid ?? 0, stdout: () => stdout, stderr: () => stderr, ended, url }
}

type Entry = { pid: number; parent: number }

/** Living processes of this machine; ended ones that nobody has collected are none. */
const processes = (): Entry[] =>
  execFileSync('ps', ['-ax', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, state = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)/.exec(line) ?? []
      return pid && !state.startsWith('Z') ? [{ pid: Number(pid), parent: Number(parent) }] : []
    })

/** Process ids of all living descendants. */
export const descendantsOf = (pid: number, all = processes()): number[] =>
  all.filter((entry) => entry.parent === pid).flatMap((entry) => [entry.pid, ...descendantsOf(entry.pid, all)])

/** Those that still live. */
export const livingOf = (pids: readonly number[]): number[] => {
  const all = processes()
  return pids.filter((pid) => all.some((entry) => entry.pid === pid))
}
