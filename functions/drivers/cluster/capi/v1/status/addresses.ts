import type { Machine } from '../management/objects.schema.ts'

/** What people reach a machine by, best first. */
const TYPES = ['ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS', 'Hostname'] as const

/**
 * One address of a machine. Infrastructures that tell none (the in-memory one) have their nodes' names in its place; undefined before
 * there is either.
 */
export const addressOf = ({ status }: Machine): string | undefined => {
  const found = TYPES.map((type) => status.addresses.find((address) => address.type === type)?.address)
  const [best] = found.filter((address) => address !== undefined && address !== '')
  return best ?? (status.nodeRef.name === '' ? undefined : status.nodeRef.name)
}

/** Everything that a machine may be called by: its and its node's name, addresses, and the id that its cloud knows. */
export const isCalled = ({ metadata, spec, status }: Machine, text: string): boolean => {
  const { providerID } = spec
  const names = [
    metadata.name,
    metadata.uid,
    status.nodeRef.name,
    providerID,
    providerID.slice(providerID.lastIndexOf('/') + 1),
  ]
  return text !== '' && [...names, ...status.addresses.map(({ address }) => address)].includes(text)
}
