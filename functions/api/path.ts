const decode = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** Paths outside of the version: everything else is under `/v1`, whether it says so or not. */
const UNVERSIONED = ['', 'healthcheck']

/**
 * A request's path as decoded segments, without trailing slashes and always with its `v1` (magnum-rest.md 1.2: `/clusters` is
 * `/v1/clusters`). Undefined when the escapes are broken: such a path names nothing.
 */
export const segmentsOf = (rawPath: string): string[] | undefined => {
  const segments = rawPath.replace(/^\/+/, '').replace(/\/+$/, '').split('/').map(decode)
  if (!segments.every((segment) => segment !== undefined)) return undefined
  const first = segments[0] ?? ''
  if (first === 'v1' || (segments.length === 1 && UNVERSIONED.includes(first))) return segments
  return ['v1', ...segments]
}
