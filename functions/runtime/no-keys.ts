import type { KeyService } from '../core/ports.ts'
import { KeyAccessMissing } from './errors.ts'

/** @throws KeyAccessMissing always */
export const refuseKeys = async (): Promise<never> => {
  throw new KeyAccessMissing(
    'This spelling of the path is not served; use the one that GET /v1 links to, without a trailing slash.',
  )
}

/** For functions that have no rights on keys. */
export const noKeys: KeyService = { generateDataKey: refuseKeys, decrypt: refuseKeys }
