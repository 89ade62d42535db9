const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** True for a lower-case dashed UUID, the only spelling that Magnum looks up as an id (magnum-rest.md section 2). */
export const isUuid = (text: string): boolean => UUID.test(text)

/** True for any spelling of a UUID; such text is never a name. */
export const looksLikeUuid = (text: string): boolean => isUuid(text.toLowerCase())

/** Ten hex digits that name an entity inside clusters: the last ones, since a UUIDv7 begins with the time. */
export const shortId = (uuid: string): string => uuid.replaceAll('-', '').slice(-10)
