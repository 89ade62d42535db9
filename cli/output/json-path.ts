import { JSONPath } from 'jsonpath-plus'
import { usageError } from '../errors.ts'

/**
 * Templates of kubectl's `-o jsonpath=…`: text, `{.expressions}`, `{"quoted text"}` and `{range .list[*]}…{end}`
 * (https://kubernetes.io/docs/reference/kubectl/jsonpath/). Several results are separated by spaces.
 */

type Part = { text: string } | { path: string } | { path: string; parts: Part[] }

const TOKEN = /\{((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^{}"'])*)\}|([^{]+)/gy

const wrong = (template: string, why: string) =>
  usageError(`The template ${JSON.stringify(template)} is wrong: ${why}.`, "-o jsonpath='{.status}'")

const quoted = (token: string): string => {
  const inner = token.slice(1, -1)
  const asJson = token.startsWith('"') ? token : `"${inner.replaceAll('"', '\\"').replaceAll("\\'", "'")}"`
  return JSON.parse(asJson) as string
}

const tokensOf = (template: string): { code?: string; text?: string }[] => {
  const tokens: { code?: string; text?: string }[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < template.length) {
    const at = TOKEN.lastIndex
    const [, code, text] = TOKEN.exec(template) ?? []
    if (code !== undefined) tokens.push({ code: code.trim() })
    else if (text !== undefined) tokens.push({ text })
    else
      throw wrong(
        template,
        `an opening brace has no closing one from ${JSON.stringify(template.slice(at, at + 20))} on`,
      )
  }
  return tokens
}

/** What is inside braces, other than the ends of a range. */
const partOf = (code: string): Part => (/^["']/.test(code) ? { text: quoted(code) } : { path: code })

/** Adds one token to the innermost of the lists that are open. `{range}` opens one, `{end}` closes it. */
const place = (open: Part[][], { code = '', text }: { code?: string; text?: string }): void => {
  const parts = open.at(-1) ?? []
  if (text !== undefined) parts.push({ text })
  else if (code === 'end') open.pop()
  else if (code.startsWith('range ')) open.push(openRange(parts, code))
  else parts.push(partOf(code))
}

const openRange = (parts: Part[], code: string): Part[] => {
  const inner: Part[] = []
  parts.push({ path: code.slice('range '.length).trim(), parts: inner })
  return inner
}

const parse = (template: string): Part[] => {
  const whole: Part[] = []
  const open = [whole]
  for (const token of tokensOf(template)) {
    place(open, token)
    if (open.length === 0) throw wrong(template, '{end} has no {range}')
  }
  if (open.length > 1) throw wrong(template, '{range} has no {end}')
  return whole
}

const find = (path: string, json: object): unknown[] => {
  const from = path.replace(/^\$/, '').replace(/^@/, '')
  if (from === '' || from === '.') return [json]
  // Its evaluator of expressions knows comparisons, and runs no code.
  return JSONPath({
    path: `$${from.startsWith('.') || from.startsWith('[') ? '' : '.'}${from}`,
    json,
    eval: 'safe',
    wrap: true,
  })
}

const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const fill = (parts: readonly Part[], json: unknown): string =>
  parts
    .map((part) => {
      if ('text' in part) return part.text
      const found = find(part.path, Object(json))
      return 'parts' in part ? found.map((each) => fill(part.parts, each)).join('') : found.map(write).join(' ')
    })
    .join('')

/** The filled template. A field that is not there is empty. @throws CliError for a template that is none */
export const fillJsonPath = (template: string, json: unknown): string => {
  const parts = parse(template)
  try {
    return fill(parts, json)
  } catch (cause) {
    throw wrong(template, cause instanceof Error ? cause.message : String(cause))
  }
}
