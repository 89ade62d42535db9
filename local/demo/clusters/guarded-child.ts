import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

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
const TERM_PATIENCE_MS = 1000

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
    const deadline = setTimeout(() => killHard(pid), TERM_PATIENCE_MS)
    await ended.finally(() => clearTimeout(deadline))
  }
  return { pid, ended, stop }
}
