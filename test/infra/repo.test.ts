import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { FLOWS } from '../../functions/core/operation/operation.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
const json = (file: string): Record<string, unknown> => JSON.parse(read(file))

/** What a commit would hold: tracked files, and new ones that are not ignored. */
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .split('\0')
  .filter((file) => file !== '' && existsSync(path.join(ROOT, file)) && statSync(path.join(ROOT, file)).isFile())

const filesWith = (text: string): string[] => files.filter((file) => read(file).includes(text))

describe('the repository', () => {
  it.each(['package.json', 'cdk.json', 'tsconfig.json', 'functions', 'infra', 'statemachines', 'test', 'README.md'])(
    'has %s at the top',
    (name) => {
      expect(existsSync(path.join(ROOT, name))).toBe(true)
    },
  )

  it('names no path of a machine', () => {
    // A home such as `/` or `/root` is no path of a machine but of all.
    const own = [ROOT, homedir()].filter((place) => place.split('/').length > 2)
    const shared = ['', 'work', 'shared'].join('/')
    expect([shared, ...own].flatMap(filesWith)).toEqual([])
  })

  it('names no package registry', () => {
    const configured = process.env.npm_config_registry
    const host = configured === undefined ? undefined : new URL(configured).host
    expect(host === undefined ? [] : filesWith(host)).toEqual([])
    expect(read('.npmrc')).not.toMatch(/registry|_auth/i)
    expect(read('package-lock.json')).not.toMatch(/"resolved": "https?:/)
  })

  it('pins every dependency to one version', () => {
    const groups = ['dependencies', 'devDependencies', 'optionalDependencies'].map(
      (group) => json('package.json')[group] ?? {},
    )
    const loose = groups
      .flatMap((group) => Object.entries(group as Record<string, string>))
      .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
    expect(loose).toEqual([])
  })
})

describe('statemachines', () => {
  const sections = new Map(
    read('statemachines/README.md')
      .split(/^### /m)
      .slice(1)
      .map((section) => [section.split('\n', 1)[0], section]),
  )

  it('are one definition, and a section for each flow', () => {
    expect(readdirSync(path.join(ROOT, 'statemachines')).sort()).toEqual(['README.md', 'operation.asl.json'])
    expect([...sections.keys()].toSorted()).toEqual([...FLOWS].sort())
  })

  it.each(FLOWS)('%s has a failure table', (flow) => {
    expect(sections.get(flow)).toMatch(/^\|\s*error\b.*\|$/im)
  })
})
