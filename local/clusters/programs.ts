import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Runs a program that ends when the other end of descriptor 3 is closed: by us, or by the kernel when we die, SIGKILL included.
 * Files that it makes are for its user only. POSIX sh only. Prints the program's pid first; the guard ends with the program. The watcher holds neither output, so that their
 * end means the program's end.
 */
const GUARD = `
umask 077
"$0" "$@" 3<&- &
program=$!
echo "$program"
(exec >/dev/null 2>&1; cat <&3; kill "$program") &
exec 3<&-
wait "$program"
`

export type GuardedChild = {
  /** Of the program itself, not of its guard. */
  pid: number
  /** Settles when program and guard are over; tells how, with the last lines of its error output. */
  ended: Promise<string>
  /** Ends the program and waits for it. Can be called twice. */
  stop(): Promise<void>
}

/** How long the program may take to end by itself when asked, milliseconds. */
const TERM_TIMEOUT_MS = 1000

/** How much of the program's error output is kept to explain its end, characters. */
const OUTPUT_KEPT = 2000

const tail = (stream: Readable): (() => string) => {
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    text = (text + chunk).slice(-OUTPUT_KEPT)
  })
  return () => text.trim()
}

const firstLine = async (child: ChildProcess, stdout: Readable): Promise<string> => {
  let text = ''
  stdout.setEncoding('utf8')
  stdout.on('data', (chunk: string) => {
    if (!text.includes('\n')) text += chunk
  })
  while (!text.includes('\n') && child.exitCode === null && child.signalCode === null) {
    await Promise.race([once(stdout, 'data'), once(child, 'exit')])
  }
  return text.slice(0, text.indexOf('\n'))
}

const killHard = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended in this very moment, which is what is wanted.
  }
}

/**
 * Starts a program under a guard that ends it with this process, even on SIGKILL (aws-emulation.md section 5). In a session of
 * its own: Ctrl-C in a terminal reaches only this process, which then ends the program in its own order.
 */
export const startGuarded = async (program: string, args: readonly string[]): Promise<GuardedChild> => {
  const child = spawn('/bin/sh', ['-c', GUARD, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const [, stdout, stderr, lifeline] = child.stdio as unknown as [null, Readable, Readable, Writable]
  lifeline.on('error', () => undefined)
  const output = tail(stderr)
  // The watcher ends with the lifeline, and only then is everything of the child closed.
  child.once('exit', () => lifeline.destroy())
  const ended = once(child, 'close').then(([code, signal]) => {
    const end = signal ?? `exit code ${code}`
    return output() === '' ? end : `${end}: ${output()}`
  })
  const pid = Number(await firstLine(child, stdout))
  const stop = async (): Promise<void> => {
    lifeline.destroy()
    const deadline = setTimeout(() => killHard(pid), TERM_TIMEOUT_MS)
    await ended.finally(() => clearTimeout(deadline))
  }
  return { pid, ended, stop }
}

/**
 * Runs the program with its output in a file and a smaller heap than Go's default. SIGTERM ends the program with SIGKILL: an API
 * server whose etcd has gone would take minutes to end by itself, and there is nothing here to save.
 */
const RUN = `
trap 'kill -9 $!; exit 1' TERM
log="$1"
shift
GOGC=50 "$0" "$@" >>"$log" 2>&1 &
wait $!
`

/** Starts a program of a cluster: it ends with this process, even on SIGKILL, and writes `<name>.log`. */
export const startProgram = (
  program: string,
  folder: string,
  name: string,
  flags: readonly string[],
): Promise<GuardedChild> => startGuarded('/bin/sh', ['-c', RUN, program, join(folder, `${name}.log`), ...flags])

/** Ends a program at once, as a crash would, and waits until it is gone. */
export const killProgram = async (child: GuardedChild): Promise<void> => {
  process.kill(child.pid, 'SIGTERM')
  await child.ended
}

const POLL_MS = 100
/** Longest start of one program on a busy machine, milliseconds; usual: 3,000. */
const READY_DEADLINE_MS = 90_000

type Waiting = { what: string; child: GuardedChild; log: string }

/** Waits until a check holds; a check that throws does not hold yet. @throws Error when the program ends before, or after 90 s */
export const untilReady = async ({ what, child, log }: Waiting, holds: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + READY_DEADLINE_MS
  let last: unknown
  while (Date.now() < deadline) {
    const check = holds().catch((error: unknown) => {
      last = error
      return false
    })
    if (await check) return
    const ended = await Promise.race([delay(POLL_MS), child.ended])
    if (ended !== undefined) throw new Error(`${what} ended while starting (${ended.trim()}); see ${log}.`)
  }
  throw new Error(`${what} was not ready within ${READY_DEADLINE_MS / 1000} seconds; see ${log}.`, { cause: last })
}

/** A loopback port that nobody listened on a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Programs of envtest's `KUBEBUILDER_ASSETS` folder. */
export type Assets = {
  etcd: string
  apiServer: string
  /** Null where the folder has none: then no namespace and no token controller runs. */
  controllerManager: string | null
}

const executable = (path: string): string | null => {
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    return null
  }
}

/** The programs in a folder; null when `etcd` or `kube-apiserver` is not in it. */
export const findAssets = (folder: string | undefined): Assets | null => {
  if (!folder) return null
  const etcd = executable(join(folder, 'etcd'))
  const apiServer = executable(join(folder, 'kube-apiserver'))
  if (etcd === null || apiServer === null) return null
  return { etcd, apiServer, controllerManager: executable(join(folder, 'kube-controller-manager')) }
}
