import { type AddressPolicy, checkServerUrl } from '../address-guard.ts'
import { AddressForbidden } from '../errors.ts'
import { KubeconfigRejected } from './fields.ts'
import { serverUrl } from './server-url.ts'

/**
 * The URL of an API server in its normal form, whose host is a name or an IP literal that the policy allows.
 *
 * @throws KubeconfigRejected (`insecure_server_url`, `invalid_server_url`, `forbidden_address`) naming the field
 */
export const guardedServerUrl = (text: string, field: string, policy: AddressPolicy): string => {
  const server = serverUrl(text, field)
  try {
    checkServerUrl(server, policy)
    return server
  } catch (error) {
    if (!(error instanceof AddressForbidden)) throw error
    throw new KubeconfigRejected('forbidden_address', `${field}: ${error.message}`, { fields: [field] })
  }
}
