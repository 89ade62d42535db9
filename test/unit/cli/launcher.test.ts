import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=20']

/** What is installed as `fedplane`, before a program that says how it was started. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-launcher-'))
  copyFileSync(path.join(ROOT, 'cli/package/fedplane.mjs'), path.join(folder, 'fedplane.mjs'))
  writeFileSync(
    path.join(folder, 'main.mjs'),
    'console.log(JSON.stringify({ pid: process.pid, flags: process.execArgv, args: process.argv.slice(2) }))',
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const started = async (...args: string[]) => {
  const running = promisify(execFile)(process.execPath, [path.join(folder, 'fedplane.mjs'), ...args])
  const { stdout, stderr } = await running
  expect(stderr).toBe('')
  const { pid, ...seen } = JSON.parse(stdout)
  return { ...seen, isSameProcess: pid === running.child.pid }
}

it('starts the server with the memory flags of npm start, in the same process', async () => {
  expect(await started('server', '--port', '0')).toEqual({
    flags: FLAGS,
    args: ['server', '--port', '0'],
    isSameProcess: true,
  })
})

it('starts other commands without', async () => {
  expect(await started('cluster', 'list')).toEqual({ flags: [], args: ['cluster', 'list'], isSameProcess: true })
})

it('has the flags of npm start', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  expect(scripts.start.split(' ').filter((word: string) => FLAGS.includes(word))).toEqual(FLAGS)
})
