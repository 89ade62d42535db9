import { isUuid, looksLikeUuid } from '../domain/ids.ts'
import type { Status } from '../domain/status.ts'
import type { Reach } from '../store/reach.ts'
import { NameAmbiguous, ObjectNotVisible } from './errors.ts'
import { listInWords, quote } from './quote.ts'

type Named<T extends { status: Status }> = {
  get(key: { projectId: string; id: string }): Promise<T | undefined>
  findByName(projectId: string, name: string): Promise<string[]>
}

export type Noun = 'Cluster' | 'Federation' | 'ClusterTemplate' | 'NodeGroup' | 'Quota'

export const notFound = (noun: Noun, ident: string): ObjectNotVisible =>
  new ObjectNotVisible(`${noun} ${quote(ident)} could not be found.`)

/** Matches of an ambiguous name that are shown, each with its status. */
const MATCHES_SHOWN = 5

/** The refusal of a name that several objects have: their status tells a failed attempt from the one that is meant. */
export const ambiguous = async <T extends { status: Status }>(
  store: Named<T>,
  noun: Noun,
  { projectId, name }: { projectId: string; name: string },
  ids: readonly string[],
): Promise<NameAmbiguous> => {
  const shown = await Promise.all(
    ids.slice(0, MATCHES_SHOWN).map(async (id) => {
      const object = await store.get({ projectId, id })
      return object === undefined ? id : `${id} (${object.status})`
    }),
  )
  const named = listInWords([...shown, ...ids.slice(MATCHES_SHOWN)], MATCHES_SHOWN)
  return new NameAmbiguous(`Multiple ${noun.toLowerCase()}s have the name ${quote(name)}: use one of the ids ${named}.`)
}

const idOf = async <T extends { status: Status }>(
  store: Named<T>,
  noun: Noun,
  projectId: string,
  ident: string,
): Promise<string> => {
  const ids = await store.findByName(projectId, ident)
  if (ids.length > 1) throw await ambiguous(store, noun, { projectId, name: ident }, ids)
  if (ids[0] === undefined) throw notFound(noun, ident)
  return ids[0]
}

/**
 * An object by UUID or name (magnum-rest.md section 2): text that looks like a UUID is only an id, other text only a name.
 *
 * @throws ObjectNotVisible, NameAmbiguous
 */
export const find = async <T extends { status: Status }>(
  store: Named<T>,
  noun: Noun,
  projectId: string,
  ident: string,
): Promise<T> => {
  if (looksLikeUuid(ident) && !isUuid(ident)) throw notFound(noun, ident)
  const id = isUuid(ident) ? ident : await idOf(store, noun, projectId, ident)
  const object = await store.get({ projectId, id })
  if (object === undefined) throw notFound(noun, ident)
  return object
}

type Located<T> = {
  locate(reach: Reach, id: string): Promise<T | undefined>
  locateByName(reach: Reach, name: string): Promise<{ projectId: string; id: string }[]>
}

/**
 * As `find`, as far as the caller's reach goes.
 *
 * @throws ObjectNotVisible, NameAmbiguous
 */
export const locate = async <T>(store: Located<T>, noun: Noun, reach: Reach, ident: string): Promise<T> => {
  if (looksLikeUuid(ident) && !isUuid(ident)) throw notFound(noun, ident)
  const ids = isUuid(ident) ? [ident] : (await store.locateByName(reach, ident)).map(({ id }) => id)
  if (ids.length > 1) {
    throw new NameAmbiguous(
      `Multiple objects of the kind ${noun} have the name ${quote(ident)}: use one of the ids ${listInWords(ids, MATCHES_SHOWN)}.`,
    )
  }
  const object = ids[0] === undefined ? undefined : await store.locate(reach, ids[0])
  if (object === undefined) throw notFound(noun, ident)
  return object
}
