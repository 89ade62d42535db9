const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** True for a lower-case dashed UUID, the only spelling that Magnum looks up as an id (magnum-rest.md section 2). */
export const isUuid = (text: string): boolean => UUID.test(text)

/** True for an id of the kind that we give: by time of creation (RFC 9562 5.7). */
export const isUuidV7 = (text: string): boolean => isUuid(text) && text[14] === '7'

/** True for any spelling of a UUID; such text is never a name. */
export const looksLikeUuid = (text: string): boolean => isUuid(text.toLowerCase())

/** Ten hex digits that name an entity inside clusters: the last ones, since a UUIDv7 begins with the time. */
export const shortId = (uuid: string): string => uuid.replaceAll('-', '').slice(-10)

/** `<name>@<major>`, for example `clusterprofile@1`. Stored with each entity; another major is another driver. */
export type DriverId = `${string}@${number}`

/** True for text of the form `<name>@<major>`. */
export const isDriverId = (text: string): text is DriverId => /^[a-z][a-z0-9-]*@[1-9][0-9]*$/.test(text)

const LETTERS = [
  'alpha',
  'beta',
  'gamma',
  'delta',
  'epsilon',
  'zeta',
  'eta',
  'theta',
  'iota',
  'kappa',
  'lambda',
  'mu',
  'nu',
  'xi',
  'omicron',
  'pi',
  'rho',
  'sigma',
  'tau',
  'upsilon',
  'phi',
  'chi',
  'psi',
  'omega',
]

/**
 * The name of something that was made without one: `<greek letter>-<1..24>-<noun>` like Magnum's. Taken from the random end of the id,
 * so that it needs no random source of its own.
 */
export const generatedName = (id: string, noun: 'cluster' | 'federation' | 'template'): string => {
  const random = Number.parseInt(id.slice(-6), 16)
  const letter = LETTERS[random % LETTERS.length] ?? 'alpha'
  return `${letter}-${(Math.floor(random / LETTERS.length) % 24) + 1}-${noun}`
}
