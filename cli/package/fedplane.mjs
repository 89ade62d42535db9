#!/usr/bin/env node
// What is installed as `fedplane`. Plain JavaScript that any Node can read, since it says which one is needed.
import { spawnSync } from 'node:child_process'
import { createRequire, enableCompileCache } from 'node:module'
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

if (Number(process.versions.node.split('.')[0]) >= needed) {
  // Modules compiled once are kept for the next start.
  enableCompileCache()
  await import('./main.mjs')
} else {
  const node = nodeBeside()
  if (node === undefined) {
    process.stderr.write(`fedplane needs Node.js ${needed} or later, and this is ${process.versions.node}.\n`)
    process.exit(1)
  }
  // Ctrl-C reaches both: the other one says what it means.
  process.on('SIGINT', () => undefined)
  const { status, signal } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' })
  process.exit(signal === null ? (status ?? 1) : 128 + constants.signals[signal])
}
