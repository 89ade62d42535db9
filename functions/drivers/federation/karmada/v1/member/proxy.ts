import { setTimeout } from 'node:timers/promises'
import { isAppError } from '../../../../../core/values/app-error.ts'
import type { Connect, Connection, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { MemberObservation } from '../../../../contract/federation-driver.ts'
import { memberObjectName } from '../../../../support/member/tokens.ts'
import { deleteOwned, listAll, type Site } from '../../../../support/owned.ts'
import { type ImpersonatorOwner, impersonatorOwner, readClaims } from './claims.ts'
import { unlessGone } from './leaving.ts'
import { clusters, executionSpace, impersonatorSecretName, works } from './names.ts'
import { clusterFacts } from './status.ts'
import { isImpersonators } from './works.ts'

/** Milliseconds for an observation of whose `clusters/proxy` is: a member that does not answer is no reason to know nothing of the others. */
const OBSERVE_TIMEOUT_MS = 4000

const disabled = (message: string): MemberObservation => ({ state: 'ready', reason: 'ProxyDisabled', message })

const HELD = disabled(
  'Another Karmada has this member too, so clusters/proxy of this federation does not lead into it. Let each of them spread objects of its own: ' +
    'one that both spread would be overwritten, and deleted, by either.',
)

const HEALS = disabled(
  'Another Karmada had this member too, and has let go of it: clusters/proxy of this federation leads into it again after the next renewal of its ' +
    'credential, which comes once a month, or when it is removed from the federation and added again.',
)

/** The owner by what is in the member; undefined when that can't be learnt now. */
const ownerSeen = async (
  connect: Connect,
  connection: Connection,
  federationId: string,
): Promise<ImpersonatorOwner | undefined> => {
  const client = connect(connection)
  const ended = new AbortController()
  try {
    const late = setTimeout(OBSERVE_TIMEOUT_MS, undefined, { ref: false, signal: ended.signal })
    const seen = readClaims(client).then((claims) => impersonatorOwner({ client, federationId }, claims))
    return await Promise.race([seen, late])
  } catch (error) {
    if (isAppError(error)) return undefined
    throw error
  } finally {
    ended.abort()
    client.close()
  }
}

/**
 * Leaves `clusters/proxy` of a member to another Karmada: without the reference Karmada makes nothing for it any more, and what it made it no longer
 * puts back once the Works are gone. The other one makes its own again.
 */
export const yieldProxy = async (site: Site, memberName: string): Promise<void> => {
  const { client, federationId } = site
  await unlessGone(() => client.patch(clusters, memberName, { spec: { impersonatorSecretRef: null } }))
  const space = works(executionSpace({ memberName }))
  for (const work of (await listAll(client, space)).filter(isImpersonators)) {
    await unlessGone(() => client.delete(space, work.metadata.name))
  }
  const resource = secrets(memberObjectName(federationId))
  const secret = await client.get(resource, impersonatorSecretName({ memberName }))
  if (secret !== undefined) await deleteOwned(site, resource, secret)
}

/**
 * What a ready member's `clusters/proxy` is like, by an observation of the member. One that another Karmada has by now is left to it: else both would
 * write the same objects without end.
 */
export const proxyStatus = async (
  site: Site,
  cluster: KubernetesObject,
  { connect, connection }: { connect: Connect; connection: Connection | undefined },
): Promise<MemberObservation> => {
  const isOn = clusterFacts(cluster).impersonatorSecretRef !== undefined
  const owner = connection && (await ownerSeen(connect, connection, site.federationId))
  if (owner === undefined) return isOn ? { state: 'ready' } : HELD
  if (owner === 'free') return isOn ? { state: 'ready' } : HEALS
  if (isOn) await yieldProxy(site, cluster.metadata.name)
  return HELD
}
