import { IN_OWN_PROJECT, type Noun, notFound } from '../core/errors.ts'
import { isUuid, looksLikeUuid } from '../core/values/ids.ts'
import type { Status } from '../core/values/status.ts'
import { listInWords, quote } from '../core/values/wording.ts'
import type { Scope } from '../store/page.ts'
import { NameAmbiguous } from './errors.ts'

/** Matches of an ambiguous name that are shown, each with its status where it has one. */
const MATCHES_SHOWN = 5

const PLURALS: Readonly<Record<Noun, string>> = {
  Cluster: 'clusters',
  Federation: 'federations',
  ClusterTemplate: 'cluster templates',
  NodeGroup: 'node groups',
  Quota: 'quotas',
  Trigger: 'triggers',
  Delivery: 'deliveries',
  Grant: 'grants',
  Hook: 'hooks',
  Credential: 'credentials',
}

type Match = { id: string; status?: Status }

/** An object that its status tells from others of the same name: a failed attempt from the one that is meant. */
const describe = ({ id, status }: Match): string => (status === undefined ? id : `${id} (${status})`)

const ambiguous = async <K extends { id: string }>(
  get: (key: K) => Promise<Match | undefined>,
  { noun, ident }: Asked,
  keys: readonly K[],
): Promise<NameAmbiguous> => {
  const shown = await Promise.all(
    keys.slice(0, MATCHES_SHOWN).map(async (key) => describe((await get(key)) ?? { id: key.id })),
  )
  const rest = keys.slice(MATCHES_SHOWN).map(({ id }) => id)
  return new NameAmbiguous(
    `Multiple ${PLURALS[noun]} have the name ${quote(ident)}: use one of the ids ${listInWords([...shown, ...rest], MATCHES_SHOWN)}.`,
  )
}

/** What is looked for. */
type Asked = { noun: Noun; ident: string }

/** How a kind of object is read, as far as the caller sees. */
type Source<K extends { id: string }, T extends Match> = {
  byId(id: string): Promise<T | undefined>
  /** Keys of those with this name. */
  named(name: string): Promise<readonly K[]>
  get(key: K): Promise<T | undefined>
}

/** Undefined when there is none. @throws NameAmbiguous */
const seek = async <K extends { id: string }, T extends Match>(
  { byId, named, get }: Source<K, T>,
  asked: Asked,
): Promise<T | undefined> => {
  const { ident } = asked
  if (looksLikeUuid(ident)) return isUuid(ident) ? byId(ident) : undefined
  const keys = await named(ident)
  if (keys.length > 1) throw await ambiguous(get, asked, keys)
  return keys[0] === undefined ? undefined : get(keys[0])
}

type Key = { projectId: string; id: string }

type Located<T> = {
  get(key: Key): Promise<T | undefined>
  locate(scope: Scope, id: string): Promise<T | undefined>
  locateByName(scope: Scope, name: string): Promise<Key[]>
}

/**
 * An object by UUID or name as far as the caller's reach goes (magnum-rest.md section 2): text that looks like a UUID is only an id,
 * other text only a name. Undefined when there is none.
 *
 * @throws NameAmbiguous
 */
export const seekLocated = <T extends Match>(
  store: Located<T>,
  noun: Noun,
  scope: Scope,
  ident: string,
): Promise<T | undefined> =>
  seek(
    {
      byId: (id) => store.locate(scope, id),
      named: (name) => store.locateByName(scope, name),
      get: (key) => store.get(key),
    },
    { noun, ident },
  )

/**
 * As `seekLocated`.
 *
 * @throws ObjectNotVisible, NameAmbiguous
 */
export const locate = async <T extends Match>(
  store: Located<T>,
  noun: Noun,
  scope: Scope,
  ident: string,
): Promise<T> => {
  const object = await seekLocated(store, noun, scope, ident)
  if (object === undefined) throw notFound(noun, ident, scope.allProjects || noun !== 'Cluster' ? '' : IN_OWN_PROJECT)
  return object
}

type Named<T> = {
  get(key: Key): Promise<T | undefined>
  findByName(projectId: string, name: string): Promise<string[]>
}

/**
 * As `locate`, in one project.
 *
 * @throws ObjectNotVisible, NameAmbiguous
 */
export const find = async <T extends Match>(
  store: Named<T>,
  noun: Noun,
  projectId: string,
  ident: string,
): Promise<T> => {
  const get = (id: string): Promise<T | undefined> => store.get({ projectId, id })
  const object = await seek(
    {
      byId: get,
      named: async (name) => (await store.findByName(projectId, name)).map((id) => ({ id })),
      get: ({ id }) => get(id),
    },
    { noun, ident },
  )
  if (object === undefined) throw notFound(noun, ident, IN_OWN_PROJECT)
  return object
}

/**
 * What `judge` finds of a request, unless the object that it is about is not there: that is said before (Magnum's order: 404, then 400 and 409). Costs no
 * read where there is no fault.
 *
 * @param find throws when it is not there
 */
export const judgedIfThere = async <T>(find: () => Promise<unknown>, judge: () => T): Promise<T> => {
  try {
    return judge()
  } catch (error) {
    await find()
    throw error
  }
}
