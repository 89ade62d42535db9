/** Collections of the Magnum API, as `GET /v1` lists them (magnum-rest.md 1.2). */
export const MAGNUM_COLLECTIONS: readonly string[] = [
  'clustertemplates',
  'clusters',
  'quotas',
  'certificates',
  'mservices',
  'stats',
  'federations',
  'credentials',
]
