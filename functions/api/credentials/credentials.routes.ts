import { noAttributes } from '../body/no-attributes.ts'
import { uuidAnswer } from '../common.answer.schema.ts'
import { noQuery } from '../query.ts'
import { type Route, route } from '../route.ts'
import { rotateCredential } from './rotate-credential.ts'

/** The flow makes the credential, so the request needs no key. */
export const CREDENTIAL_ROUTES: readonly Route[] = [
  route({
    method: 'PATCH',
    path: '/v1/credentials/{cluster}',
    access: 'table',
    rule: 'credential:rotate',
    minVersion: 12,
    schemas: { query: noQuery, body: noAttributes },
    summary: "Replaces the cluster's credential.",
    answers: { 202: uuidAnswer },
    handle: rotateCredential,
  }),
]
