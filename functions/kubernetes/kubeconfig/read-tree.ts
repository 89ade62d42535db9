import { visit } from 'jsonc-parser'
import type { Json, JsonObject } from '../../core/values/json.ts'
import { isTreeMap, KubeconfigRejected, type Tree, type TreeMap, treeOf } from './fields.ts'
import { treeOfYaml } from './yaml-tree.ts'

/**
 * True when an object in this *valid* JSON text has a key twice; `JSON.parse` keeps the last of them without a word. The text must not be nested deeper than
 * a stack is.
 */
const hasDuplicateJsonKey = (json: string): boolean => {
  const open: Set<string>[] = []
  let isTwice = false
  visit(json, {
    onObjectBegin: () => {
      open.push(new Set())
    },
    onObjectProperty: (key) => {
      const keys = open.at(-1)
      isTwice ||= keys?.has(key) === true
      keys?.add(key)
    },
    onObjectEnd: () => {
      open.pop()
    },
  })
  return isTwice
}

/** Largest kubeconfig, bytes in UTF-8: a flattened one with a chain of certificates is about 12 KiB. */
const MAX_KUBECONFIG_BYTES = 256 * 1024

const BASE64_TEXT = /^[A-Za-z0-9+/]{40,}={0,2}$/
const PLAIN_WORD = /^[A-Za-z][A-Za-z0-9./-]{0,62}$/

/**
 * The one mapping that a kubeconfig is, from YAML, JSON or an object.
 *
 * @throws KubeconfigRejected for anything else, saying what it looks like
 */
export const readTree = (input: string | JsonObject): TreeMap => {
  const tree = typeof input === 'string' ? treeOfText(input) : treeOfObject(input)
  if (!isTreeMap(tree)) {
    throw new KubeconfigRejected(
      'invalid_kubeconfig',
      'The kubeconfig is not a mapping with clusters, users and contexts; send what `kubectl config view --flatten --minify --raw` prints.',
    )
  }
  checkKind(tree)
  return tree
}

const treeOfObject = (input: JsonObject): Tree => {
  checkSize(JSON.stringify(input) ?? '')
  return treeOf(input)
}

const treeOfText = (input: string): Tree => {
  checkSize(input)
  checkEncoding(input)
  const text = input.startsWith('\uFEFF') ? input.slice(1) : input
  const trimmed = text.trim()
  if (trimmed === '') throw new KubeconfigRejected('invalid_kubeconfig', 'The kubeconfig is empty.')
  checkLooks(trimmed)
  // JSON first: YAML parsers differ about tabs (cases/YM-06).
  const json = jsonOf(trimmed)
  if (json === undefined) return treeOfYaml(text)
  if (typeof json === 'string') throw notAKubeconfig('it is a JSON string that holds text: decode it once more')
  // First, since it is what bounds the nesting.
  const tree = treeOf(json)
  if (hasDuplicateJsonKey(trimmed)) {
    throw new KubeconfigRejected(
      'invalid_kubeconfig',
      'The kubeconfig is JSON in which an object has the same key twice.',
    )
  }
  return tree
}

const checkSize = (text: string): void => {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_KUBECONFIG_BYTES) return
  throw new KubeconfigRejected(
    'too_large',
    `The kubeconfig has ${bytes} bytes, at most ${MAX_KUBECONFIG_BYTES} are taken; send the one context only (kubectl config view --flatten --minify --raw).`,
    { facts: { bytes, maxBytes: MAX_KUBECONFIG_BYTES } },
  )
}

/** UTF-16 that was read as UTF-8 or Latin-1 shows as NUL characters (cases/YM-01b); other bytes show as U+FFFD. */
const checkEncoding = (text: string): void => {
  if (!text.includes('\0') && !text.includes('\uFFFD') && text.isWellFormed()) return
  throw new KubeconfigRejected(
    'unsupported_encoding',
    'The kubeconfig is not UTF-8 text (an older PowerShell writes UTF-16); save it as UTF-8 and send it again.',
  )
}

const notAKubeconfig = (why: string): KubeconfigRejected =>
  new KubeconfigRejected('not_a_kubeconfig', `This is not a kubeconfig: ${why}.`)

const checkLooks = (text: string): void => {
  if (text.startsWith('-----BEGIN ')) throw notAKubeconfig('it looks like a PEM certificate or key')
  if (BASE64_TEXT.test(withoutLineBreaks(text)))
    throw notAKubeconfig('it looks like base64; decode it and send the text')
  if (!/[\r\n]/.test(text) && /^[A-Za-z-]+:.*\\n/.test(text)) {
    throw notAKubeconfig(
      'its line breaks are escaped twice: send real line breaks (`\\n` in JSON), not a backslash and an n',
    )
  }
}

const withoutLineBreaks = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join('')

const jsonOf = (text: string): Json | undefined => {
  if (!/^[{["]/.test(text)) return
  try {
    return JSON.parse(text)
  } catch {
    return
  }
}

/** Both may be absent: kubectl takes that too. */
const checkKind = (tree: TreeMap): void => {
  const kind = tree.get('kind') ?? 'Config'
  const apiVersion = tree.get('apiVersion') ?? 'v1'
  if (kind === 'Config' && apiVersion === 'v1') return
  if (kind === 'Secret') {
    throw notAKubeconfig(
      'it looks like a Kubernetes Secret; take the kubeconfig out of its data and decode it from base64',
    )
  }
  const seen = [apiVersion, kind]
    .map((word) => (typeof word === 'string' && PLAIN_WORD.test(word) ? word : '?'))
    .join(' ')
  throw notAKubeconfig(`apiVersion and kind are \`${seen}\`, expected \`v1 Config\``)
}
