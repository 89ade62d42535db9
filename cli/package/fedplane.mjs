#!/usr/bin/env node
// What is installed as `fedplane`. Plain JavaScript that any Node can read, since it says which one is needed: only names that are old may be imported.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import process from 'node:process'

const needed = 24

/** What `npm start` gives V8, for a server that is idle most of the time: a test compares. Other commands are over before it would matter. */
const serverFlags = ['--max-semi-space-size=4', '--heap-growing-percent=20']
const flags = process.argv[2] === 'server' ? serverFlags : []

/** The Node.js that npm installs beside fedplane on Linux. */
const nodeBeside = () => {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    return undefined
  }
}

const fail = (how) => {
  process.stderr.write(
    `fedplane needs Node.js ${needed} or later, and this is ${process.versions.node}. ${how}\n` +
      'Try: install a newer Node.js (https://nodejs.org), and the same again.\n',
  )
  process.exit(1)
}

/** The same command line in another Node.js. It has our terminal, so what is typed reaches it without us. */
const runIn = (node) => {
  const child = spawn(node, [...flags, ...process.argv.slice(1)], { stdio: 'inherit' })
  // Ctrl-C reaches both: the other one says what it means.
  process.on('SIGINT', () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ code }) => fail(`The one that npm installed beside it does not start (${code}).`))
  child.on('exit', (status, signal) => process.exit(signal === null ? status : 128 + constants.signals[signal]))
}

/** V8 takes them at its start only, so this process begins again in its own place. Windows can't; there the server needs more memory. */
const beginWithFlags = () => {
  if (flags.every((flag) => process.execArgv.includes(flag))) return
  if (process.platform === 'win32' || typeof process.execve !== 'function') return
  const args = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, args, process.env)
}

if (Number(process.versions.node.split('.')[0]) >= needed) {
  beginWithFlags()
  const { enableCompileCache } = await import('node:module')
  // Modules compiled once are kept for the next start.
  enableCompileCache()
  await import('./main.mjs')
} else {
  const node = nodeBeside()
  if (node === undefined)
    fail(process.platform === 'linux' ? 'npm installed none beside it.' : 'npm brings one to Linux only.')
  else runIn(node)
}
