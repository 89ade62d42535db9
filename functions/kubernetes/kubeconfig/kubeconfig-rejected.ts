import { AppError } from '../../core/values/app-error.ts'

/** Why a kubeconfig is refused: stable words for callers, the `error_class` of the shared cases. */
export type KubeconfigFault =
  | 'conflicting_fields'
  | 'context_required'
  | 'credential_expired'
  | 'credential_not_yet_valid'
  | 'duplicate_name'
  | 'forbidden_address'
  | 'incomplete_credential'
  | 'insecure_server_url'
  | 'invalid_base64'
  | 'invalid_credential'
  | 'invalid_kubeconfig'
  | 'invalid_pem'
  | 'invalid_server_url'
  | 'invalid_type'
  | 'invalid_yaml'
  | 'key_mismatch'
  | 'local_file_reference'
  | 'multiple_documents'
  | 'not_a_kubeconfig'
  | 'tls_verification_disabled'
  | 'too_deep'
  | 'too_large'
  | 'unsupported_auth'
  | 'unsupported_encoding'
  | 'unsupported_field'
  | 'yaml_alias_limit'

type RejectionDetails = {
  /** Paths such as `users[0].user.tokenFile`; the first is also `details.field`. */
  fields?: readonly string[]
  /** More facts that are safe to show. */
  facts?: Readonly<Record<string, unknown>>
}

/**
 * The kubeconfig can't be taken. `details.class` is a `KubeconfigFault`, `details.field` and `details.fields` say where; the message
 * says what to do instead. Never has a cause and never holds a value of the file other than names, addresses and dates.
 */
export class KubeconfigRejected extends AppError {
  override readonly name = 'KubeconfigRejected'
  readonly kind: 'invalid' | 'too-large'

  constructor(fault: KubeconfigFault, message: string, { fields = [], facts = {} }: RejectionDetails = {}) {
    const where = fields.length === 0 ? {} : { field: fields[0], fields }
    super(message, { details: { class: fault, ...where, ...facts } })
    this.kind = fault === 'too_large' ? 'too-large' : 'invalid'
  }
}
