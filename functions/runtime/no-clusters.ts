import type { Connect } from '../kubernetes/client.ts'
import type { ClusterAccess } from './aws-ports.ts'
import { KeyAccessMissing } from './errors.ts'

/** @throws KeyAccessMissing always */
export const refuseKeys = async (): Promise<never> => {
  throw new KeyAccessMissing(
    'This spelling of the path is not served; use the one that GET /v1 links to, without a trailing slash.',
  )
}

const connect: Connect = () => {
  throw new KeyAccessMissing('This function has no way to clusters.')
}

/** For functions that have no rights on keys and therefore none in clusters. Apart, so that they bundle neither client. */
export const noClusters: ClusterAccess = { keys: { generateDataKey: refuseKeys, decrypt: refuseKeys }, connect }
