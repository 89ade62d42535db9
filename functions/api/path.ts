/** Paths outside of the version: everything else is under `/v1`, whether it says so or not. */
const UNVERSIONED = ['', 'healthcheck']

/**
 * A request's path as segments, without trailing slashes and always with its `v1` (magnum-rest.md 1.2: `/clusters` is `/v1/clusters`).
 * The path comes with its escapes decoded already: HTTP APIs do that, and local mode does as they do.
 */
export const segmentsOf = (rawPath: string): string[] => {
  const segments = rawPath.replace(/^\/+/, '').replace(/\/+$/, '').split('/')
  const first = segments[0] ?? ''
  if (first === 'v1' || (segments.length === 1 && UNVERSIONED.includes(first))) return segments
  return ['v1', ...segments]
}
