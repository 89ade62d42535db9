import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { takeDataDirectory } from '../../../local/dynamodb/embedded-dynamodb.ts'

describe('takeDataDirectory', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
    writeFileSync(join(folder, 'file'), '')
    mkdirSync(join(folder, 'odd', 'lock.db'), { recursive: true })
    mkdirSync(join(folder, 'broken'))
    writeFileSync(join(folder, 'broken', 'database.db'), 'no database, but longer than the head of one. '.repeat(50))
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('makes it with what leads to it, for its user only', () => {
    const directory = join(folder, 'a', 'b')
    takeDataDirectory(directory).release()
    takeDataDirectory(directory).release()
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
  })

  it('refuses one that others may write to, also behind a link, and takes it once they may not', () => {
    const [open, link] = [join(folder, 'open'), join(folder, 'link')]
    mkdirSync(open)
    symlinkSync(open, link)
    for (const mode of [0o777, 0o720, 0o1777]) {
      chmodSync(open, mode)
      for (const directory of [open, link]) {
        expect(() => takeDataDirectory(directory)).toThrow(/other users may write to it .*chmod go-w/)
      }
    }
    expect(readdirSync(open)).toEqual([])
    chmodSync(open, 0o755)
    takeDataDirectory(link).release()
  })

  it('refuses one of another user', () => {
    const directory = join(folder, 'theirs')
    mkdirSync(directory, { mode: 0o700 })
    const mine = process.getuid
    process.getuid = () => (mine?.() ?? 0) + 1
    try {
      expect(() => takeDataDirectory(directory)).toThrow(/belongs to another user/)
    } finally {
      if (mine !== undefined) process.getuid = mine
    }
  })

  const modesIn = (directory: string): Record<string, number> =>
    Object.fromEntries(readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777]))

  it('makes its files for its user only', () => {
    const directory = join(folder, 'c')
    const { release } = takeDataDirectory(directory)
    const modes = modesIn(directory)
    release()
    expect(Object.keys(modes)).toEqual(expect.arrayContaining(['database.db', 'lock.db']))
    expect(Object.entries(modes).filter(([, mode]) => mode !== 0o600)).toEqual([])
  })

  it('takes the rights of others away from files that an older release made, what a killed one left beside them too', () => {
    const directory = join(folder, 'd')
    takeDataDirectory(directory).release()
    const database = new DatabaseSync(join(directory, 'database.db'))
    database.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)')
    for (const name of readdirSync(directory)) {
      cpSync(join(directory, name), join(directory, `${name}.killed`))
      chmodSync(join(directory, `${name}.killed`), 0o644)
    }
    database.close()
    for (const name of ['database.db', 'database.db-wal', 'database.db-shm'])
      renameSync(join(directory, `${name}.killed`), join(directory, name))
    takeDataDirectory(directory).release()
    const modes = Object.entries(modesIn(directory)).filter(([name]) => !name.endsWith('.killed'))
    expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([])
  })

  const refusal = (directory: string, fault: RegExp) =>
    expect.objectContaining({
      name: 'DataDirectoryUnusable',
      message: expect.stringMatching(
        new RegExp(
          `^The data directory ${directory} can't be used: [^.\\n]*(${fault.source}).*\\. Choose .*--data-dir`,
        ),
      ),
    })

  it.each([
    ['file', /a file, not a folder/],
    ['file/under', /through a file/],
    ['loop', /link to itself/],
    ['odd', /lock\.db/],
    ['broken', /database\.db/],
    ['n'.repeat(300), /too long/],
  ])('says why it can not be used: %s', (name, fault) => {
    const directory = join(folder, name)
    expect(() => takeDataDirectory(directory)).toThrow(refusal(directory, fault))
  })

  it.runIf(process.platform === 'linux').each(['/proc/nope', '/proc/nope/deeper', '/sys/nope', '/dev/null/x', '/proc'])(
    'does not hang where the system makes no folders: %s',
    (directory) => {
      expect(() => takeDataDirectory(directory)).toThrow(refusal(directory, /\w/))
    },
  )
})
