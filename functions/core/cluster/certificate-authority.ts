import type { Write } from '../../store/write.ts'
import type { Ports } from '../ports.ts'
import { AUTHORITIES, type AuthorityKeys } from '../values/certificate-authority.ts'

/** Whose authorities they are; the name becomes their common name. `authorityKeys`: as its driver says. */
export type AuthorityOwner = {
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
