import { visit } from 'jsonc-parser'

/**
 * True when an object in this *valid* JSON text has a key twice; `JSON.parse` keeps the last of them without a word. The text must not be nested deeper than
 * a stack is.
 */
export const hasDuplicateJsonKey = (json: string): boolean => {
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
