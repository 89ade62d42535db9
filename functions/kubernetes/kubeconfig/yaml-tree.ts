import type { Alias, ParsedNode, Scalar, YAMLMap } from 'yaml'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml'
import { KubeconfigRejected } from './kubeconfig-rejected.ts'
import { isTreeList, isTreeMap, MAX_DEPTH, type Tree, type TreeMap, tooDeep, treeBudget } from './tree.ts'
import { yamlShape } from './yaml-nesting.ts'

/** Most aliases that are followed, nested ones counted each time (cases/YM-04). Hand-written kubeconfigs have a handful. */
const MAX_ALIASES = 100
/**
 * Most tokens that go to the parser, the text of scalars not counted: it takes up to 15 µs for each. A context with its cluster and user has 70 to 110 in
 * 3 to 6 KB, so a kubeconfig of the largest size has room for all that it can hold.
 */
const MAX_TOKENS = 6_000
/** What YAML 1.1, and so kubectl, reads as a boolean; YAML 1.2 does not (cases/YM-05). */
const YAML_11_TRUE = /^(?:yes|Yes|YES|on|On|ON)$/
const YAML_11_FALSE = /^(?:no|No|NO|off|Off|OFF)$/
const MERGE_KEY = '<<'

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
  return document === undefined ? null : convert(document, lines)
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
    // Duplicates are looked for in `convert`: the parser's own check takes quadratic time.
    const documents = withoutStacks(() =>
      parseAllDocuments(text, {
        lineCounter,
        prettyErrors: false,
        stringKeys: true,
        uniqueKeys: false,
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

const convert = (document: Document.Parsed, lines: LineCounter): Tree => {
  const budget = treeBudget()
  let aliases = 0
  const lineOf = (node: { range?: readonly number[] | null | undefined }): number =>
    lines.linePos(node.range?.[0] ?? 0).line

  const visit = (node: unknown, depth: number): Tree => {
    budget.take(depth)
    if (isAlias(node)) return visit(follow(node), depth + 1)
    if (isMap<Scalar<string>, ParsedNode>(node)) return mapOf(node, depth)
    if (isSeq(node)) return node.items.map((item) => visit(item, depth + 1))
    return isScalar(node) ? scalarOf(node) : null
  }

  const follow = (alias: Alias): unknown => {
    aliases += 1
    if (aliases > MAX_ALIASES) throw tooManyAliases()
    const target = alias.resolve(document)
    if (target === undefined) throw invalidYaml(lineOf(alias), HINTS.get('BAD_ALIAS'))
    return target
  }

  const mapOf = (node: YAMLMap<Scalar<string>, ParsedNode>, depth: number): TreeMap => {
    const merges = node.items.filter(({ key }) => isMergeKey(key))
    const own = new Map<string, Tree>()
    for (const { key, value } of node.items.filter(({ key }) => !isMergeKey(key))) {
      if (own.has(key.value)) throw invalidYaml(lineOf(key), 'the same key stands twice in one mapping')
      own.set(key.value, visit(value, depth + 1))
    }
    const sources = merges.flatMap(({ value }) => listOf(visit(value, depth + 1)))
    if (!sources.every(isTreeMap)) throw invalidYaml(lineOf(node), 'a merge key (`<<`) needs a mapping')
    return merge(own, sources)
  }

  return visit(document.contents, 0)
}

const isMergeKey = ({ value, type }: Scalar<string>): boolean => value === MERGE_KEY && type === 'PLAIN'

const listOf = (tree: Tree): readonly Tree[] => (isTreeList(tree) ? tree : [tree])

/** Own keys win over merged ones, and earlier sources over later ones. */
const merge = (own: TreeMap, sources: readonly TreeMap[]): TreeMap =>
  new Map([...[...sources].reverse().flatMap((source) => [...source]), ...own])

const scalarOf = ({ value, type }: Scalar): Tree => {
  if (typeof value === 'string') return type === 'PLAIN' ? plainText(value) : value
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}

const plainText = (text: string): Tree => {
  if (YAML_11_TRUE.test(text)) return true
  return YAML_11_FALSE.test(text) ? false : text
}
