import * as z from 'zod'
import type { AuthorityKey, CertificateStore, CredentialKey } from '../credential.store.ts'
import { CredentialUnreadable } from '../errors.ts'
import { type KeyOfProject, seal, unseal } from '../sealing/seal.ts'
import { asWrite } from './action.ts'
import { parseItem, schemaVersion, text } from './item.schema.ts'
import { authorityKey } from './keys.ts'
import { getItem } from './read.ts'
import type { StoreContext } from './request.ts'

export const CERTIFICATE_SCHEMA_VERSION = 1

export const certificateItem = z.object({
  schemaVersion: schemaVersion(CERTIFICATE_SCHEMA_VERSION),
  certificatePem: text,
  /** The private key. */
  sealed: z.instanceof(Uint8Array),
})

/**
 * What the private key is bound to: a candidate can't be put in place by copying the item, and no other certificate can be laid beside the key, by which
 * whoever has its own key would be taken for the cluster.
 */
const sealedAs = ({ projectId, clusterId, type, candidate }: AuthorityKey, certificatePem: string): CredentialKey => ({
  projectId,
  owner: `authority/${clusterId}`,
  purpose: candidate ? `${type}/candidate` : type,
  boundTo: certificatePem,
})

const read = async (context: StoreContext, key: AuthorityKey) => {
  const item = await getItem(context, authorityKey(key))
  return item === undefined ? undefined : parseItem(certificateItem, item)
}

/** No condition can fail. */
const onConflict = () => new CredentialUnreadable('unreachable: the write has no condition')

/** Certificate authorities in DynamoDB: the certificate in clear, the private key sealed. */
export const dynamoCertificateStore = (context: StoreContext, keyOf: KeyOfProject): CertificateStore => ({
  certificate: async (key) => (await read(context, key))?.certificatePem,
  open: async (key) => {
    const item = await read(context, key)
    if (item === undefined) return undefined
    const privateKey = unseal(await keyOf(key.projectId), sealedAs(key, item.certificatePem), item.sealed)
    return { certificatePem: item.certificatePem, privateKey }
  },
  seal: async (key, { certificatePem, privateKey }) => {
    const sealed = seal(await keyOf(key.projectId), sealedAs(key, certificatePem), privateKey)
    const item = { ...authorityKey(key), schemaVersion: CERTIFICATE_SCHEMA_VERSION, certificatePem, sealed }
    return asWrite({ type: 'put', item, onConflict })
  },
  remove: (key) => asWrite({ type: 'delete', key: authorityKey(key), onConflict }),
})
