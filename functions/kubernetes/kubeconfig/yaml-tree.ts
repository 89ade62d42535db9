import {
  CST,
  type Document,
  isScalar,
  Lexer,
  LineCounter,
  type Pair,
  parseAllDocuments,
  type Scalar,
  type ScalarTag,
  type Tags,
  visit,
} from 'yaml'
import { KubeconfigRejected, MAX_DEPTH, type Tree, tooDeep, treeOf } from './fields.ts'

/** Change of the number of open flow collections that a token makes. */
const FLOW = new Map([
  ['[', 1],
  ['{', 1],
  [']', -1],
  ['}', -1],
])
/** Indicators that open a block level without a line break. */
const INLINE = new Set(['-', '?'])

/** What a text would cost the parser. */
type YamlShape = {
  /** Brackets or indicators in one line (`[[[[…`, `- - - …`) nest deeper than asked. */
  isDeep: boolean
  /** It has more tokens than asked. Nothing was read after that many. */
  isLong: boolean
  aliases: number
}

type YamlLimits = { levels: number; tokens: number }

/**
 * Checks the tokens only. A level costs one or two bytes in brackets or indicators, and would exhaust the stack of the parser; nesting
 * by indentation costs as many bytes as it is deep, so the text's size limits it.
 */
const yamlShape = (text: string, limits: YamlLimits): YamlShape => {
  let flow = 0
  let inLine = 0
  let aliases = 0
  let tokens = 0
  for (const token of indicators(text)) {
    flow += FLOW.get(token) ?? 0
    inLine = levelsInLine(token, inLine)
    aliases += token.startsWith('*') ? 1 : 0
    tokens += 1
    const isDeep = flow + inLine > limits.levels
    if (isDeep || tokens > limits.tokens) return { isDeep, isLong: !isDeep, aliases }
  }
  return { isDeep: false, isLong: false, aliases }
}

const levelsInLine = (token: string, before: number): number => {
  if (INLINE.has(token)) return before + 1
  return token.endsWith('\n') ? 0 : before
}

/** The tokens without the plain and block scalars. */
function* indicators(text: string): Generator<string> {
  let isScalarNext = false
  for (const token of new Lexer().lex(text)) {
    if (!isScalarNext && token !== CST.SCALAR) yield token
    isScalarNext = !isScalarNext && token === CST.SCALAR
  }
}

/** Most aliases that are followed, nested ones counted each time (cases/YM-04). Hand-written kubeconfigs have a handful. */
const MAX_ALIASES = 100
/**
 * Most tokens that go to the parser, the text of scalars not counted: it takes up to 15 µs for each. A context with its cluster and user has 70 to 110 in
 * 3 to 6 KB, so a kubeconfig of the largest size has room for all that it can hold.
 */
const MAX_TOKENS = 6_000
/** Of YAML 1.1's bare words these stay text, as in kubectl's parser: times, numbers of base 60 (`12:30`), `y` and `n`, which are names too (cases/YM-05). */
const LEFT_OUT = /:(?:binary|bool|omap|pairs|set|timestamp)$/
const BASE_60 = 'TIME'

const boolean = (test: RegExp, value: boolean): ScalarTag => ({
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test,
  resolve: () => value,
})
const BOOLEANS = [
  boolean(/^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/, true),
  boolean(/^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/, false),
]

const tagsOfKubectl = (tags: Tags): Tags => [
  ...tags.filter(
    (tag) => typeof tag !== 'string' && !LEFT_OUT.test(tag.tag) && !('format' in tag && tag.format === BASE_60),
  ),
  ...BOOLEANS,
]

/**
 * The tree of YAML text with exactly one document; document markers and an empty tail are no document. Merge keys are expanded.
 *
 * Messages name a line and never quote the text: a line of a kubeconfig may hold a token (cases/YM-02).
 *
 * @throws KubeconfigRejected `invalid_yaml`, `multiple_documents`, `yaml_alias_limit`, `too_deep`, `too_large`
 */
export const treeOfYaml = (text: string): Tree => {
  const { isDeep, isLong, aliases } = yamlShape(text, { levels: MAX_DEPTH, tokens: MAX_TOKENS })
  if (isDeep) throw tooDeep()
  if (isLong) throw tooManyTokens()
  if (aliases > MAX_ALIASES) throw tooManyAliases()
  const lines = new LineCounter()
  const documents = parse(text, lines)
  for (const document of documents) checkSyntax(document, lines)
  const [document, second] = documents.filter(({ contents }) => contents !== null && !isEmptyScalar(contents))
  if (second !== undefined) {
    throw new KubeconfigRejected(
      'multiple_documents',
      'The kubeconfig has more than one YAML document (a line `---` between them); send one.',
    )
  }
  return document === undefined ? null : treeOfDocument(document, lines)
}

/** The parser makes an error of each fault, of which a text may have thousands; their stacks cost ten times what the text does, and nobody sees them. */
const withoutStacks = <T>(run: () => T): T => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return run()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const parse = (text: string, lineCounter: LineCounter): Document.Parsed[] => {
  try {
    // Duplicates are looked for in `checkNodes`: the parser's own check takes quadratic time.
    const documents = withoutStacks(() =>
      parseAllDocuments(text, {
        lineCounter,
        prettyErrors: false,
        stringKeys: true,
        uniqueKeys: false,
        version: '1.1',
        schema: 'yaml-1.1',
        customTags: tagsOfKubectl,
        resolveKnownTags: false,
        logLevel: 'error',
      }),
    )
    return Array.isArray(documents) ? documents : []
  } catch {
    throw new KubeconfigRejected('invalid_yaml', 'The kubeconfig is not YAML or JSON that can be read.')
  }
}

const isEmptyScalar = (node: unknown): boolean => isScalar(node) && node.value === null && node.source === ''

const tooManyAliases = (): KubeconfigRejected =>
  new KubeconfigRejected(
    'yaml_alias_limit',
    `The kubeconfig follows more than ${MAX_ALIASES} YAML aliases; write it without (kubectl config view --flatten --minify --raw).`,
  )

const tooManyTokens = (): KubeconfigRejected =>
  new KubeconfigRejected(
    'too_large',
    `The kubeconfig has more than ${MAX_TOKENS} words, signs and line breaks; send the one context only (kubectl config view --flatten --minify --raw).`,
  )

const HINTS = new Map([
  ['TAB_AS_INDENT', 'indent with spaces, not tabs'],
  ['TAG_RESOLVE_FAILED', 'remove the tag (a word that begins with `!`)'],
  ['BAD_ALIAS', 'an alias must name an anchor'],
  ['MISSING_CHAR', 'a quote or bracket is not closed'],
])

const invalidYaml = (line: number, hint = 'check indentation and quotes there'): KubeconfigRejected =>
  new KubeconfigRejected('invalid_yaml', `The kubeconfig is not valid YAML in line ${line}: ${hint}.`, {
    facts: { line },
  })

const checkSyntax = (document: Document.Parsed, lines: LineCounter): void => {
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) throw invalidYaml(lines.linePos(fault.pos[0]).line, HINTS.get(fault.code))
}

const isMergeKey = ({ value, type }: Scalar): boolean => value === '<<' && type === 'PLAIN'

/** What the library passes over, or has no error of its own for. @throws KubeconfigRejected */
const checkNodes = (document: Document.Parsed, lines: LineCounter): void => {
  const lineOf = ({ range }: { range?: readonly number[] | null | undefined }): number =>
    lines.linePos(range?.[0] ?? 0).line
  visit(document, {
    Map: (_, { items }) => {
      const keys = new Set<unknown>()
      for (const { key } of items as Pair<Scalar>[]) {
        if (isMergeKey(key)) continue
        if (keys.has(key.value)) throw invalidYaml(lineOf(key), 'the same key stands twice in one mapping')
        keys.add(key.value)
      }
    },
    Alias: (_, alias, path) => {
      const target = alias.resolve(document)
      if (target === undefined) throw invalidYaml(lineOf(alias), HINTS.get('BAD_ALIAS'))
      if (path.includes(target)) throw tooDeep()
    },
  })
}

/** Merge keys and aliases are the library's. After `checkNodes` it has two errors left, of two classes. */
const treeOfDocument = (document: Document.Parsed, lines: LineCounter): Tree => {
  checkNodes(document, lines)
  let contents: unknown
  try {
    contents = document.toJS({ mapAsMap: true, maxAliasCount: MAX_ALIASES })
  } catch (error) {
    if (error instanceof ReferenceError) throw tooManyAliases()
    throw new KubeconfigRejected(
      'invalid_yaml',
      'The kubeconfig is not valid YAML: a merge key (`<<`) needs a mapping.',
    )
  }
  return treeOf(contents)
}
