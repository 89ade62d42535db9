import * as z from 'zod'
import type { Cloud, CloudGrant, CloudGrantRef } from '../../cloud/cloud.ts'
import { CloudMissing } from '../../cloud/errors.ts'
import type { CloudCredential } from '../../drivers/contract/cluster-driver.ts'
import type { Write } from '../../store/write.ts'
import { cloudCandidateKey, cloudGrantsKey, cloudKey } from '../access/credentials.ts'
import type { Ports } from '../ports.ts'
import { Secret } from '../values/secret.ts'
import { newOwnership } from './cloud-ownership.ts'
import type { Cluster, ClusterChange } from './cluster.ts'

const text = z.string().min(1)

/** Keys as they are sealed. */
const grant = z
  .object({
    userId: text,
    leafId: text,
    minter: z.object({ id: text, secret: text.transform((value) => new Secret(value)) }),
  })
  .transform(({ userId, leafId: restrictedId, minter: unrestricted }) => ({ userId, restrictedId, unrestricted }))

/** What a cluster was delegated in the cloud, as it is sealed. */
const Grants = z.object({
  /** In force; null while the cluster is being deleted. */
  current: grant.nullable(),
  /** Waits for the driver to put it in place. */
  candidate: grant.nullable(),
  /** Still to be revoked. */
  former: z.array(grant),
})
type Grants = z.infer<typeof Grants>

type GrantPorts = Pick<Ports, 'stores' | 'cloud' | 'clock'>
type ClusterRef = Pick<Cluster, 'projectId' | 'id'>

/** Changes of what a cluster was delegated, to be committed together, and with a change of the cluster that was read before. */
export type GrantChange = { change: ClusterChange; writes: Write[] }

/** The cloud of this installation. @throws CloudMissing */
export const cloudOf = ({ cloud }: Pick<Ports, 'cloud'>): Cloud => {
  if (cloud !== undefined) return cloud
  throw new CloudMissing(
    "The cluster needs application credentials of Keystone, and no Keystone is configured in this installation: its operator sets Keystone's URL (docs/authentication.md).",
  )
}

/** What is kept of a grant whose restricted credential is elsewhere. */
export const grantRefOf = ({ userId, restricted, unrestricted }: CloudGrant): CloudGrantRef => ({
  userId,
  restrictedId: restricted.id,
  unrestricted,
})

/** As drivers get it. */
const asCredential = ({ access }: Cloud, { restricted }: CloudGrant): Secret => {
  const credential: CloudCredential = {
    ...access,
    applicationCredentialId: restricted.id,
    applicationCredentialSecret: restricted.secret.reveal(),
  }
  return new Secret(JSON.stringify(credential))
}

const plain = ({ userId, restrictedId, unrestricted }: CloudGrantRef) => ({
  userId,
  leafId: restrictedId,
  minter: { id: unrestricted.id, secret: unrestricted.secret.reveal() },
})

const encoded = ({ current, candidate, former }: Grants): Secret =>
  new Secret(
    JSON.stringify({
      current: current && plain(current),
      candidate: candidate && plain(candidate),
      former: former.map(plain),
    }),
  )

const NONE: Grants = { current: null, candidate: null, former: [] }

/** What a cluster was delegated. Read the cluster before it: each change of it goes with one of the cluster. */
export const readGrants = async ({ stores }: Pick<Ports, 'stores'>, cluster: ClusterRef): Promise<Grants> => {
  const sealed = await stores.credentials.get(cloudGrantsKey(cluster))
  return sealed === undefined ? NONE : Grants.parse(JSON.parse(sealed.reveal()))
}

const storeGrants = ({ stores }: GrantPorts, cluster: ClusterRef, grants: Grants): Promise<Write> =>
  stores.credentials.seal(cloudGrantsKey(cluster), encoded(grants))

/** A grant in force, of a cluster that is new or whose present one no longer serves; that one is to be revoked. */
export const grantInForce = async (ports: GrantPorts, cluster: ClusterRef, grant: CloudGrant): Promise<GrantChange> => {
  const { credentials } = ports.stores
  const { current, candidate, former } = await readGrants(ports, cluster)
  const replaced = [current, candidate].filter((one) => one !== null)
  return {
    change: { cloud: newOwnership(ports, grant.userId) },
    writes: [
      await credentials.seal(cloudKey(cluster), asCredential(cloudOf(ports), grant)),
      credentials.remove(cloudCandidateKey(cluster)),
      await storeGrants(ports, cluster, {
        current: grantRefOf(grant),
        candidate: null,
        former: [...former, ...replaced],
      }),
    ],
  }
}

/** A grant that the task `rotate-credential` puts in force. */
export const grantCandidate = async (
  ports: GrantPorts,
  cluster: ClusterRef & Pick<Cluster, 'cloud'>,
  grant: CloudGrant,
): Promise<GrantChange> => {
  const grants = await readGrants(ports, cluster)
  const { candidate } = grants
  const former = candidate === null ? grants.former : [...grants.former, candidate]
  return {
    change: { cloud: { ...newOwnership(ports, grant.userId), ...cluster.cloud, userId: grant.userId } },
    writes: [
      await ports.stores.credentials.seal(cloudCandidateKey(cluster), asCredential(cloudOf(ports), grant)),
      await storeGrants(ports, cluster, { ...grants, candidate: grantRefOf(grant), former }),
    ],
  }
}

/** Puts the candidate in force; the present one is to be revoked. Null when there is no candidate. */
export const promotedGrant = async (ports: GrantPorts, cluster: ClusterRef): Promise<GrantChange | null> => {
  const { credentials } = ports.stores
  const [{ current, candidate, former }, credential] = await Promise.all([
    readGrants(ports, cluster),
    credentials.get(cloudCandidateKey(cluster)),
  ])
  if (candidate === null || credential === undefined) return null
  return {
    change: { cloud: newOwnership(ports, candidate.userId) },
    writes: [
      await credentials.seal(cloudKey(cluster), credential),
      credentials.remove(cloudCandidateKey(cluster)),
      await storeGrants(ports, cluster, {
        current: candidate,
        candidate: null,
        former: current === null ? former : [...former, current],
      }),
    ],
  }
}

/**
 * Drops the candidate; the present one stays. It is revoked when the next one is in force: until then nobody knows how far the driver has come
 * with taking it back. Null when there is none.
 */
export const droppedCandidate = async (
  ports: GrantPorts,
  cluster: ClusterRef & Pick<Cluster, 'cloud'>,
): Promise<GrantChange | null> => {
  const { current, candidate, former } = await readGrants(ports, cluster)
  if (candidate === null) return null
  return {
    change: cluster.cloud && current ? { cloud: { ...cluster.cloud, userId: current.userId } } : {},
    writes: [
      ports.stores.credentials.remove(cloudCandidateKey(cluster)),
      await storeGrants(ports, cluster, { current, candidate: null, former: [...former, candidate] }),
    ],
  }
}

/** Nothing is in force any more: all are to be revoked. */
export const retiredGrants = async (ports: GrantPorts, cluster: ClusterRef): Promise<Write[]> => {
  const { current, candidate, former } = await readGrants(ports, cluster)
  const retired = [current, candidate].filter((one) => one !== null)
  if (retired.length === 0) return []
  return [await storeGrants(ports, cluster, { ...NONE, former: [...former, ...retired] })]
}

/** One of those that were to be revoked needs that no longer. */
export const withoutFormer = async (ports: GrantPorts, cluster: ClusterRef, restrictedId: string): Promise<Write[]> => {
  const grants = await readGrants(ports, cluster)
  const former = grants.former.filter((one) => one.restrictedId !== restrictedId)
  return former.length === grants.former.length ? [] : [await storeGrants(ports, cluster, { ...grants, former })]
}
