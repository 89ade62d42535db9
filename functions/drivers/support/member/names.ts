import { shortId } from '../../../core/values/ids.ts'

/** Our namespace in a member, and what is in it or bound to it, unless a driver says otherwise. */
export const memberObjectName = (federationId: string): string => `fedplane-${shortId(federationId)}`
