import { shortId } from '../../../../core/values/ids.ts'

/** Namespace of the inventory in the host: not the one in members, because the host can be a member too. */
export const inventoryNamespace = (federationId: string): string => `fedplane-${shortId(federationId)}-inventory`
