import { CredentialMissing } from '../../drivers/contract/errors.ts'
import type { FederationContext } from '../../drivers/contract/federation-driver.ts'
import { CredentialUnreadable } from '../../store/errors.ts'
import { goneClusterAccess, intactAccess, namedAccess, type OpenClusterAccess } from '../access/cluster-access.ts'
import { driverSecretKey } from '../access/credentials.ts'
import type { AccessPorts } from '../access/open-cluster.ts'
import { hostKey, requireLent } from '../grant/loans.ts'
import type { Ports } from '../ports.ts'
import type { Secret } from '../values/secret.ts'
import type { Federation } from './federation.ts'

/** What a context of a federation driver needs of the outside. */
export type FederationContextPorts = Pick<Ports, 'stores' | 'connect' | 'clock' | 'asset'>

const lost = ({ name, id }: Federation, document: string, why: string, options?: ErrorOptions): CredentialMissing =>
  new CredentialMissing(
    `The sealed document ${document} of federation ${name} (${id}) ${why}. Without it the control plane can't be managed: restore it, ` +
      'or delete the federation with ?force=true.',
    options,
  )

/**
 * A sealed document of the driver. One that is on the federation's list and can't be had is a fault: a driver that took it for absent would make
 * a second one beside the one that is in use.
 *
 * @throws CredentialMissing that says what to do
 */
const sealedOf = async (
  { stores }: Pick<Ports, 'stores'>,
  federation: Federation,
  name: string,
): Promise<Secret | undefined> => {
  if (!federation.driverSecrets.includes(name)) return undefined
  try {
    const secret = await stores.credentials.get(driverSecretKey(federation, name))
    if (secret !== undefined) return secret
  } catch (error) {
    if (!(error instanceof CredentialUnreadable)) throw error
    const why = "can't be opened with the present key (the KMS key, or the key file in the data folder)"
    throw lost(federation, name, why, { cause: error })
  }
  throw lost(federation, name, 'is gone from the table')
}

/** Reads each document once, however often it is asked for, unless that fails: nothing is sealed while a driver's function runs. */
const sealedOnce = (ports: FederationContextPorts, federation: Federation): FederationContext['sealed'] => {
  const reads = new Map<string, Promise<Secret | undefined>>()
  return (name) => {
    const read = reads.get(name) ?? sealedOf(ports, federation, name)
    reads.set(name, read)
    read.catch(() => reads.delete(name))
    return read
  }
}

/** Context of a driver's functions for a federation. */
export const federationContext = (
  ports: FederationContextPorts,
  federation: Federation,
  host: OpenClusterAccess,
): FederationContext => ({
  federation,
  host,
  now: () => ports.clock.now().toISOString(),
  connect: ports.connect,
  sealed: sealedOnce(ports, federation),
  asset: ports.asset,
})

/** A way to the host of a federation, also when its cluster is no longer registered. The maker closes it. */
export const hostAccess = async (ports: AccessPorts, federation: Federation): Promise<OpenClusterAccess> => {
  const key = hostKey(federation)
  const cluster = await ports.stores.clusters.get(key)
  if (cluster === undefined) return goneClusterAccess({ ...key, name: 'host' })
  const access = await intactAccess(ports, cluster, async () => {
    await ports.stores.integrity.requireFederation(federation)
    await requireLent(ports.stores, federation, { clusterId: cluster.id, loan: federation.hostLoan })
  })
  return namedAccess(access, 'Host')
}
