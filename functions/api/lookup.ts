import { isUuid, looksLikeUuid } from '../domain/ids.ts'
import { NameAmbiguous, ObjectNotVisible } from './errors.ts'
import { listInWords, quote } from './quote.ts'

type Named<T> = {
  get(key: { projectId: string; id: string }): Promise<T | undefined>
  findByName(projectId: string, name: string): Promise<string[]>
}

export type Noun = 'Cluster' | 'Federation'

export const notFound = (noun: Noun, ident: string): ObjectNotVisible =>
  new ObjectNotVisible(`${noun} ${quote(ident)} could not be found.`)

export const ambiguous = (noun: Noun, name: string, ids: readonly string[]): NameAmbiguous =>
  new NameAmbiguous(
    `Multiple ${noun.toLowerCase()}s have the name ${quote(name)}: use one of the ids ${listInWords(ids, 5)}.`,
  )

const idOf = async <T>(store: Named<T>, noun: Noun, projectId: string, ident: string): Promise<string> => {
  const ids = await store.findByName(projectId, ident)
  if (ids.length > 1) throw ambiguous(noun, ident, ids)
  if (ids[0] === undefined) throw notFound(noun, ident)
  return ids[0]
}

/**
 * An object by UUID or name (magnum-rest.md section 2): text that looks like a UUID is only an id, other text only a name.
 *
 * @throws ObjectNotVisible, NameAmbiguous
 */
export const find = async <T>(store: Named<T>, noun: Noun, projectId: string, ident: string): Promise<T> => {
  if (looksLikeUuid(ident) && !isUuid(ident)) throw notFound(noun, ident)
  const id = isUuid(ident) ? ident : await idOf(store, noun, projectId, ident)
  const object = await store.get({ projectId, id })
  if (object === undefined) throw notFound(noun, ident)
  return object
}
