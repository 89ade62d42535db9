import * as z from 'zod'
import { route, type TableRoute } from '../route.ts'
import { showAuthority } from './read-authority.ts'

/** Certificates are not secret: reading them needs no key. */
export const CERTIFICATE_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: '/v1/certificates/{cluster}',
    access: 'table',
    rule: 'certificate:get',
    schemas: { query: z.object({ ca_cert_type: z.string().optional() }) },
    summary: "Shows the certificate of the cluster's authority.",
    handle: showAuthority,
  }),
]
