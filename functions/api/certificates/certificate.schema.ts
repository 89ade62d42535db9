import * as z from 'zod'
import type { Json } from '../../core/values/json.ts'
import { CSR_LENGTH_MAX } from '../../x509/pem-request.ts'
import { type OtherAttributes, parseAttributes } from '../body/attributes.ts'
import { optional, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import type { BodySchema } from '../route.ts'

const CSR_RULE = `must be a certificate signing request, PEM text of 1 to ${CSR_LENGTH_MAX} characters`

/** What `POST /v1/certificates` takes (magnum-rest.md 7.1). A body without a cluster is answered as one that is not there. */
export const signCertificateSchema = z.object({
  cluster_uuid: optional(textField()),
  csr: z.string({ error: CSR_RULE }).min(1, { error: CSR_RULE }).max(CSR_LENGTH_MAX, { error: CSR_RULE }),
  ca_cert_type: optional(textField()),
})
export type SignCertificate = z.output<typeof signCertificateSchema>

const OTHERS: OtherAttributes = { ignored: [], readOnly: ['pem', 'links'] }

export const signCertificateBody: BodySchema<SignCertificate> = {
  schema: signCertificateSchema,
  bytesMax: BODY_BYTES_MAX,
  parse: (body: Json | undefined) => parseAttributes(signCertificateSchema, body, OTHERS),
}
