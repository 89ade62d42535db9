import * as z from 'zod'
import { type Answers, linksAnswer, uuidAnswer } from '../common.answer.schema.ts'

/** A certificate authority's certificate. */
export const authorityAnswer = z.object({ cluster_uuid: z.string(), pem: z.string(), links: linksAnswer })

/** A certificate that was signed; `ca_cert_type` as it was sent, absent when it was not. */
export const signedAnswer = authorityAnswer.extend({ csr: z.string(), ca_cert_type: z.string().optional() })

export const CERTIFICATE_ANSWERS: Answers = {
  'GET /v1/certificates/{cluster}': { 200: authorityAnswer },
  'POST /v1/certificates': { 201: signedAnswer },
  'PATCH /v1/certificates/{cluster}': { 202: uuidAnswer },
}
