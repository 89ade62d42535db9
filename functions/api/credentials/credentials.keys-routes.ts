import { noAttributes } from '../body/no-attributes.ts'
import { noQuery } from '../query.ts'
import { type Route, route } from '../route.ts'
import { rotateCredential } from './rotate-credential.ts'

/** What the caller delegates to a cluster in the cloud is sealed. */
export const CREDENTIAL_KEYS_ROUTES: readonly Route[] = [
  route({
    method: 'PATCH',
    path: '/v1/credentials/{cluster}',
    access: 'keys',
    rule: 'credential:rotate',
    minVersion: 12,
    schemas: { query: noQuery, body: noAttributes },
    summary: "Replaces the cluster's credential.",
    handle: rotateCredential,
  }),
]
