#!/usr/bin/env node
// What is installed as `fedplane`. Plain JavaScript that any Node can read, since it says which one is needed: only names that are old may be imported.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import process from 'node:process'

const needed = 24

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
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  // Ctrl-C reaches both: the other one says what it means.
  process.on('SIGINT', () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ code }) => fail(`The one that npm installed beside it does not start (${code}).`))
  child.on('exit', (status, signal) => process.exit(signal === null ? status : 128 + constants.signals[signal]))
}

if (Number(process.versions.node.split('.')[0]) >= needed) {
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
