const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]/g

/** True when an object in this *valid* JSON text has a key twice; `JSON.parse` keeps the last of them without a word. */
export const hasDuplicateJsonKey = (json: string): boolean => {
  const open: (Set<string> | null)[] = []
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const isText = token.startsWith('"')
    if (isText && isKey(json, index + token.length) && isRepeated(open.at(-1), token)) return true
    if (!isText) nest(open, token)
  }
  return false
}

const nest = (open: (Set<string> | null)[], bracket: string): void => {
  if (bracket === '{') open.push(new Set())
  else if (bracket === '[') open.push(null)
  else open.pop()
}

const isKey = (json: string, end: number): boolean => {
  let at = end
  while (' \t\r\n'.includes(json.charAt(at)) && at < json.length) at += 1
  return json.charAt(at) === ':'
}

const isRepeated = (keys: Set<string> | null | undefined, token: string): boolean => {
  const key: string = JSON.parse(token)
  if (keys?.has(key)) return true
  keys?.add(key)
  return false
}
