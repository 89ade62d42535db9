import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { withoutRepetition } from '../../infra/stripped-packages.ts'

const require = createRequire(import.meta.url)
const fileOf = (client: string): string =>
  path.join(path.dirname(require.resolve(`@aws-sdk/${client}/package.json`)), 'dist-es/models/errors.js')

type Errors = Record<string, new (opts: object) => Error & Record<string, unknown>>

/** The classes of a module's text. Its base is the package's own. */
const classesOf = async (client: string, text: string): Promise<Errors> => {
  const own = (await import(`@aws-sdk/${client}`)) as Record<string, unknown>
  const base =
    Object.keys(own).find((name) => /^\w+ServiceException$/.test(name) && name !== '__ServiceException') ?? ''
  const names = [...text.matchAll(/^export (?:class|const) (\w+)/gm)].map(([, name]) => name)
  const body = text.replace(/^import .*$/m, '').replaceAll(/^export /gm, '')
  return new Function('__BaseException', `${body}\nreturn { ${names.join(', ')} }`)(own[base]) as Errors
}

describe.each(['client-dynamodb', 'client-sfn', 'client-kms'])('errors of @aws-sdk/%s in bundles', (client) => {
  it('are those of the package, in less text', async () => {
    const source = readFileSync(fileOf(client), 'utf8')
    const short = withoutRepetition(source)
    expect(short.length).toBeLessThan(source.length / 2)
    const [before, after] = [await classesOf(client, source), await classesOf(client, short)]
    expect(Object.keys(after)).toEqual(Object.keys(before))
    const opts = {
      message: 'why',
      $metadata: { attempts: 1 },
      Message: 'M',
      Item: {},
      CancellationReasons: [],
      resourceName: 'r',
    }
    for (const [name, made] of Object.entries(after)) {
      const [error, usual] = [new made(opts), new (before[name] ?? made)(opts)]
      expect({ ...error, message: error.message }).toEqual({ ...usual, message: usual.message })
      expect([error instanceof Error, error instanceof made, 'shapeId' in made && made.shapeId]).toEqual([
        true,
        true,
        'shapeId' in usual.constructor && usual.constructor.shapeId,
      ])
    }
  })
})
