import type { ReadAuthority } from '../../drivers/contract/cluster-driver.ts'
import type { AuthorityKey } from '../../store/credential.store.ts'
import type { Write } from '../../store/write.ts'
import type { Ports } from '../ports.ts'
import { AUTHORITIES, type AuthorityKeys, type AuthorityType, type Cluster } from './cluster.ts'

/** Whose authorities they are; the name becomes their common name. `authorityKeys`: as its driver says. */
type AuthorityOwner = {
  projectId: string
  clusterId: string
  clusterName: string
  authorityKeys: AuthorityKeys | undefined
}

/**
 * Makes and seals a cluster's certificate authorities, one of each type (magnum-rest.md 7.1). Nothing is stored before the writes are
 * committed, with the cluster, or as candidates with the task that puts them in place.
 */
export const sealNewAuthorities = async (
  ports: Pick<Ports, 'stores' | 'clock'>,
  { projectId, clusterId, clusterName, authorityKeys }: AuthorityOwner,
  { candidate }: { candidate: boolean },
): Promise<Write[]> => {
  const { newAuthority } = await import('../../x509/new-authority.ts')
  return Promise.all(
    AUTHORITIES.map(async (type) =>
      ports.stores.certificates.seal(
        { projectId, clusterId, type, candidate },
        await newAuthority(clusterName, ports.clock.now(), authorityKeys),
      ),
    ),
  )
}

type AuthorityPorts = Pick<Ports, 'stores'>

/** Where an authority of a cluster is stored. */
export const authorityKeyOf = (cluster: Cluster, type: AuthorityType, candidate: boolean): AuthorityKey => ({
  projectId: cluster.projectId,
  clusterId: cluster.id,
  type,
  candidate,
})

/** Reads the authorities that are in force; undefined where fedplane holds none. */
export const storedAuthority =
  ({ stores }: AuthorityPorts, cluster: Cluster): ReadAuthority =>
  (type) =>
    stores.certificates.open(authorityKeyOf(cluster, type, false))

const promoted = async ({ stores }: AuthorityPorts, cluster: Cluster, type: AuthorityType): Promise<Write[]> => {
  const candidate = await stores.certificates.open(authorityKeyOf(cluster, type, true))
  return candidate === undefined
    ? []
    : [await stores.certificates.seal(authorityKeyOf(cluster, type, false), candidate)]
}

/** Puts the candidate authorities in the place of the old ones. */
export const promotedAuthorities = async (ports: AuthorityPorts, cluster: Cluster): Promise<Write[]> => [
  ...(await Promise.all(AUTHORITIES.map((type) => promoted(ports, cluster, type)))).flat(),
  ...droppedAuthorities(ports, cluster),
]

/** Forgets the candidate authorities. */
export const droppedAuthorities = ({ stores }: AuthorityPorts, cluster: Cluster): Write[] =>
  AUTHORITIES.map((type) => stores.certificates.remove(authorityKeyOf(cluster, type, true)))

/** Forgets all authorities of a cluster. */
export const removedAuthorities = (ports: AuthorityPorts, cluster: Cluster): Write[] => [
  ...AUTHORITIES.map((type) => ports.stores.certificates.remove(authorityKeyOf(cluster, type, false))),
  ...droppedAuthorities(ports, cluster),
]
