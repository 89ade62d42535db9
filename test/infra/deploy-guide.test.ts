import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { SETTING_NAMES } from '../../infra/settings/context.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
const GUIDE = read('docs/deploy.md')
const OURS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...['docs', 'docs/api', 'docs/decisions', 'docs/drivers', 'docs/runbook'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
]

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found)

/** As GitHub makes anchors of headings. */
const anchorsOf = (text: string): string[] =>
  all(text, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )

describe('docs/deploy.md', () => {
  it('has the commands of CDK that the deploy test runs', () => {
    const commands = [...new Set(all(GUIDE, /npx cdk (\w+)/g))].sort()
    expect(commands).toEqual(['bootstrap', 'deploy', 'destroy', 'diff', 'synth'])
    const run = read('test/deploy/support/cdk.ts')
    for (const command of commands.filter((it) => it !== 'diff')) expect(run).toContain(`#run('${command}'`)
    for (const line of all(GUIDE, /npx cdk ((?:deploy|destroy|diff).*)/g)) expect(line).toMatch(/^\w+ --all/)
  })

  it('lists the stacks, and names settings, scripts and outputs that there are', () => {
    const stacks = all(read('infra/fedplane.ts'), /'(fedplane-[a-z]+)'/g)
    expect(all(GUIDE, /^\| `(fedplane-[a-z]+)` \|/gm).sort()).toEqual(stacks.sort())
    const settings = all(GUIDE, /^ {2}(\w+): '/gm)
    expect(settings.length).toBeGreaterThan(0)
    expect(settings.filter((name) => !SETTING_NAMES.includes(name))).toEqual([])
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    expect(all(GUIDE, /npm run ([\w:]+)/g).filter((name) => !(name in scripts))).toEqual([])
    expect(read('infra/stacks/data.stack.ts')).toContain("'table-name'")
  })
})

describe.each(OURS)('%s', (file) => {
  it('links to files and headings that are there', () => {
    const folder = path.dirname(file)
    const broken = all(read(file), /\]\((?!https?:)([^)]+)\)/g).filter((link) => {
      const [target = '', anchor] = link.split('#')
      const place = target === '' ? file : path.join(folder, target)
      if (!existsSync(path.join(ROOT, place))) return true
      return anchor !== undefined && !anchorsOf(read(place)).includes(anchor)
    })
    expect(broken).toEqual([])
  })
})
