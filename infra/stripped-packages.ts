import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** JSON Schemas are made when the OpenAPI document is, before functions are bundled. */
const REFUSE = "() => { throw new Error('JSON Schemas are not made in functions.') }"

/** zod's modules that make JSON Schemas (19 KB), which each schema refers to by name: the same names, which refuse. */
const withoutJsonSchema = async (file: string): Promise<string> => {
  const source = await readFile(file, 'utf8')
  const names = [...source.matchAll(/^export (?:function|const) (\w+)/gm)].map(([, name = '']) => name)
  // These make the methods of a schema, at its making.
  const stubOf = (name: string): string => (/^create\w+Method$/.test(name) ? '() => refuse' : 'refuse')
  const renamed = [...source.matchAll(/^export \{ (\w+) as (\w+) \};?$/gm)].map(([text]) => text)
  return [
    `const refuse = ${REFUSE}`,
    ...names.map((name) => `export const ${name} = ${stubOf(name)}`),
    ...renamed,
  ].join('\n')
}

const ERROR_CLASS = /^export class (\w+) extends __BaseException \{\n([\s\S]*?)\n\}$/gm

/** One class for all: `made` for each error of a service. */
const MAKE = `const make = (shapeId, $fault, ...fields) => {
  const name = shapeId.slice(shapeId.indexOf('#') + 1)
  const made = class extends __BaseException {
    static shapeId = shapeId
    constructor(opts) {
      super({ name, $fault, ...opts })
      Object.assign(this, { name, $fault })
      Object.setPrototypeOf(this, made.prototype)
      for (const field of fields) this[field] = opts[field]
    }
  }
  return made
}`

/**
 * The errors of a service in the SDK, each a class of the same twelve lines (16 KB of DynamoDB and Step Functions): the same names, made by one function.
 * A class of another form stays as it is.
 */
export const withoutRepetition = (source: string): string => {
  return source
    .replace(ERROR_CLASS, (text, name: string, body: string) => {
      const [, shapeId] = /static shapeId = ("[^"]+");/.exec(body) ?? []
      const [, fault] = /\$fault = ("\w+");/.exec(body) ?? []
      const fields = [...body.matchAll(/this\.(\w+) = opts\.\1;/g)].map(([, field]) => `"${field}"`)
      // Name, shape, fault, constructor of eight lines; each field twice.
      const isUsual = shapeId?.endsWith(`#${name}"`) && body.split('\n').length === 11 + 2 * fields.length
      return isUsual ? `export const ${name} = make(${[shapeId, fault, ...fields].join(', ')})` : text
    })
    .replace('\n', `\n${MAKE}\n`)
}

/** Of the whole package.json the SDK's clients use the version. */
const versionOnly = async (file: string): Promise<string> => {
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string }
  return JSON.stringify({ version })
}

/**
 * What the AWS SDK imports when an operation streams events (15 KB): no operation that we call does. One that did would fail with the name of
 * the module. Lambda's client imports it at its start, and gets it.
 */
const EVENT_STREAMS = /^@smithy\/core\/event-streams$/

/** A class of the SDK that nothing of ours comes to: at its making it says why. */
const refusing = (name: string, why: string): string =>
  `export class ${name} { constructor() { throw new Error('${why}') } }`

/** What the SDK takes only where a setting or the platform says so, and where the code that takes its place says why it does not. */
const UNUSED: readonly { filter: RegExp; contents: string }[] = [
  // 3.3 KB, where `node:crypto` has no SHA-256.
  {
    filter: /[/\\]checksum[/\\]sha256[/\\]Sha256Js\.js$/,
    contents: refusing('Sha256Js', 'SHA-256 is that of node:crypto.'),
  },
  // 2.6 KB, of the retry mode "adaptive".
  {
    filter: /[/\\]util-retry[/\\]DefaultRateLimiter\.js$/,
    contents: refusing('DefaultRateLimiter', 'The retry mode is "standard"; "adaptive" is left out.'),
  },
  // 2.3 KB, which signs messages of event streams. It is made with each signer, and used by none.
  {
    filter: /[/\\]signature-v4[/\\]dist-es[/\\]HeaderFormatter\.js$/,
    contents: "export class HeaderFormatter { format() { throw new Error('Event streams are left out.') } }",
  },
  // 1.2 KB, which asks an EC2 instance for its Region: Lambda sets AWS_REGION.
  {
    filter: /[/\\]regionConfig[/\\]getInstanceMetadataRegion\.js$/,
    contents: 'export const getInstanceMetadataRegion = async () => undefined',
  },
]

/** Leaves out of packages what no function uses, and what bundlers can't know (docs/decisions/0011). */
export const strippedPackages: Plugin = {
  name: 'stripped-packages',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: EVENT_STREAMS }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
    onLoad(
      { filter: /[/\\]zod[/\\]v4[/\\]core[/\\](to-json-schema|json-schema-processors)\.js$/ },
      async ({ path }) => ({
        contents: await withoutJsonSchema(path),
        loader: 'js',
      }),
    )
    onLoad({ filter: /[/\\]@aws-sdk[/\\]client-[^/\\]+[/\\]dist-es[/\\]models[/\\]errors\.js$/ }, async ({ path }) => ({
      contents: withoutRepetition(await readFile(path, 'utf8')),
      loader: 'js',
    }))
    for (const { filter, contents } of UNUSED) onLoad({ filter }, () => ({ contents, loader: 'js' }))
    onLoad({ filter: /[/\\]@aws-sdk[/\\][^/\\]+[/\\]package\.json$/ }, async ({ path }) => ({
      contents: await versionOnly(path),
      loader: 'json',
    }))
  },
}
