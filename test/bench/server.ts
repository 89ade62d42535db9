import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ApiClient } from './api-client.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** A fedplane that `npm start` started. */
export type Server = {
  /** `http://127.0.0.1:<port>/v1`. */
  url: string
  dataDir: string
  /** From `npm start` to the answer of the first request, milliseconds. */
  firstAnswerMs: number
  /** Resident memory of the server with its database, without npm, MB (10^6 bytes). */
  residentMb(): number
  stop(): Promise<void>
}

type Entry = { pid: number; parent: number; args: string[] }

const readEntry = (pid: string): Entry[] => {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    // The parent is the second field after the name, which may hold spaces and parentheses.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return [{ pid: Number(pid), parent: Number(parent), args }]
  } catch {
    // It ended meanwhile.
    return []
  }
}

const descendantsOf = (pid: number): Entry[] => {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readEntry)
  const below = (parent: number): Entry[] =>
    all.filter((entry) => entry.parent === parent).flatMap((entry) => [entry, ...below(entry.pid)])
  return below(pid)
}

const find = (entries: readonly Entry[], what: string, fits: (args: string[]) => boolean): Entry => {
  const entry = entries.find(({ args }) => fits(args))
  if (entry === undefined) throw new Error(`npm start has no child that is ${what}.`)
  return entry
}

const residentMb = (pid: number): number => {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (Number(kibibytes) * 1024) / 1e6
}

/** The address that it says it listens on. @throws when it ends before */
const addressOf = async (child: ChildProcess): Promise<string> => {
  let said = ''
  child.stdout?.setEncoding('utf8')
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`npm start ended with code ${code}: ${said}`)
  })
  const listening = (async () => {
    for await (const chunk of child.stdout ?? []) {
      said += chunk
      const address = /listening on (\S+)\n/.exec(said)?.[1]
      if (address !== undefined) return address
    }
    return ended
  })()
  return Promise.race([listening, ended])
}

const environmentOf = (more: Record<string, string>): Record<string, string | undefined> => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(FEDPLANE_|NODE_|npm_)/.test(name))
  return { ...Object.fromEntries(inherited), ...more }
}

/** Runs `npm start` on this folder, in a process of its own. */
export const startServer = async (
  { dataDir, token }: { dataDir: string; token: string },
  environment: Record<string, string>,
): Promise<Server> => {
  const begin = performance.now()
  const child = spawn('npm', ['start', '--silent', '--', '--port', '0', '--data-dir', dataDir], {
    cwd: ROOT,
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // However the benchmark ends, by Ctrl-C too: npm passes it on to the server.
  const end = (): boolean => child.kill()
  process.once('exit', end)
  const ended = once(child, 'exit').finally(() => process.off('exit', end))
  const url = await addressOf(child)
  const first = new ApiClient(url, token)
  await first.get('/clusters?limit=1')
  const firstAnswerMs = performance.now() - begin
  first.close()
  const processes = descendantsOf(child.pid ?? 0)
  const { pid } = find(processes, 'the server', (args) => args.includes('local/main.ts') && !args.includes('-c'))
  return {
    url,
    dataDir,
    firstAnswerMs,
    residentMb: () => residentMb(pid),
    stop: async () => {
      process.kill(pid, 'SIGTERM')
      await ended
    },
  }
}
