import * as z from 'zod'
import { linksAnswer } from '../common.answer.schema.ts'

/** A certificate authority's certificate. */
export const authorityAnswer = z.object({ cluster_uuid: z.string(), pem: z.string(), links: linksAnswer })

/** A certificate that was signed; `ca_cert_type` as it was sent, absent when it was not. */
export const signedAnswer = authorityAnswer.extend({ csr: z.string(), ca_cert_type: z.string().optional() })
