import { CST, Lexer } from 'yaml'

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
export type YamlShape = {
  /** Brackets or indicators in one line (`[[[[…`, `- - - …`) nest deeper than asked. */
  isDeep: boolean
  /** It has more tokens than asked. Nothing was read after that many. */
  isLong: boolean
  aliases: number
}

export type YamlLimits = { levels: number; tokens: number }

/**
 * Looks at the tokens only. A level costs one or two bytes in brackets or indicators, and would exhaust the stack of the parser; nesting
 * by indentation costs as many bytes as it is deep, so the text's size limits it.
 */
export const yamlShape = (text: string, limits: YamlLimits): YamlShape => {
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
