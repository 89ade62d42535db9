import { noAttributes } from '../body/no-attributes.ts'
import { noQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { rotateCredential } from './rotate-credential.ts'

/** The flow makes the credential, so the request needs no key. */
export const CREDENTIAL_ROUTES: readonly TableRoute[] = [
  route({
    method: 'PATCH',
    path: '/v1/credentials/{cluster}',
    access: 'table',
    rule: 'credential:rotate',
    minVersion: 12,
    schemas: { query: noQuery, body: noAttributes },
    summary: "Replaces the cluster's credential.",
    handle: rotateCredential,
  }),
]
