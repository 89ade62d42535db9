import process from 'node:process'
import type { Io } from '../io.ts'
import { shown } from './table.ts'

/** What is known of work that goes on: one line for the whole, and one for each part. */
export type Snapshot = {
  /** `fleet  CREATE_IN_PROGRESS  control-plane: waits for etcd-0`. */
  whole: string
  /** `edge-1  Joining  waits for the namespace`, by what the part is called. */
  parts: ReadonlyMap<string, string>
}

/** Shows work that goes on. */
export type Progress = {
  show(snapshot: Snapshot): void
  /** Wipes it from a terminal, for the result. */
  close(): void
}

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
/** Between two frames, milliseconds. */
const FRAME_MS = 120

const elapsed = (since: number): string => {
  const seconds = Math.floor((performance.now() - since) / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`
}

/** In a pipe: a line for each change, with the seconds since the beginning. */
const lines = ({ stderr }: Io): Progress => {
  const since = performance.now()
  const seen = new Map<string, string>()
  const tell = (key: string, line: string): void => {
    if (seen.get(key) === line) return
    seen.set(key, line)
    stderr.write(`${shown(line)} (${elapsed(since)})\n`)
  }
  return {
    show: ({ whole, parts }) => {
      tell('', whole)
      for (const [name, part] of parts) tell(name, part)
    },
    close: () => undefined,
  }
}

/** On a terminal: one block that is written again in its place. */
const block = async (io: Io): Promise<Progress> => {
  const { createLogUpdate } = await import('log-update')
  const update = createLogUpdate(process.stderr)
  const since = performance.now()
  let latest: Snapshot | undefined
  let frame = 0
  const draw = (): void => {
    if (latest === undefined) return
    frame += 1
    const sign = FRAMES[frame % FRAMES.length] ?? ''
    const width = (io.stderr.columns ?? 80) - 1
    const text = [
      `${sign} ${elapsed(since)}  ${latest.whole}`,
      ...[...latest.parts.values()].map((part) => `    ${part}`),
    ]
    update(text.map((line) => shown(line).slice(0, width)).join('\n'))
  }
  const timer = setInterval(draw, FRAME_MS)
  // Ctrl-Z: the shell gets its cursor and its last line back.
  const suspend = (): void => {
    update.clear()
    update.done()
    process.once('SIGTSTP', suspend)
    process.kill(process.pid, 'SIGSTOP')
  }
  process.once('SIGTSTP', suspend)
  return {
    show: (snapshot) => {
      latest = snapshot
      draw()
    },
    close: () => {
      clearInterval(timer)
      process.off('SIGTSTP', suspend)
      update.clear()
      update.done()
    },
  }
}

/** Progress on standard error: one block on a terminal, plain lines elsewhere (also with `TERM=dumb` or `CI`). */
export const openProgress = (io: Io): Promise<Progress> | Progress =>
  io.stderr.isTTY && io.env.TERM !== 'dumb' && !io.env.CI ? block(io) : lines(io)
