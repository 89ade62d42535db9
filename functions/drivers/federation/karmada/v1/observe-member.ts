import * as z from 'zod'
import { operationOf } from '../../../../core/membership/membership.ts'
import { Secret } from '../../../../core/values/secret.ts'
import type { Connection, KubernetesClient } from '../../../../kubernetes/client.ts'
import { secrets } from '../../../../kubernetes/resources.ts'
import type { FederationContext, MemberContext, MemberObservation } from '../../../contract/federation-driver.ts'
import { settleAll } from '../../../support/settle-all.ts'
import { Pending } from '../../../support/step.ts'
import { withControlPlane } from './control-plane/open.ts'
import { type ClusterStatus, clusterStatus } from './member/cluster-status.ts'
import { type KarmadaCredential, storedCredential } from './member/credential.ts'
import { diagnose } from './member/diagnose.ts'
import { clusters } from './member/names.ts'
import { proxyStatus } from './member/proxy.ts'
import { controlPlaneSite } from './member/site.ts'
import { MEMBERS_NAMESPACE } from './names.ts'
import { readPki } from './pki/read-pki.ts'
import { stateOf } from './state.ts'

const TokenSecret = z.object({ data: z.object({ token: z.string() }) })

const connectionTo = ({ member }: MemberContext, { token }: KarmadaCredential): Connection | undefined => {
  const { endpoint } = member.cluster
  if (endpoint === null) return undefined
  const { server, caPem, tlsServerName, tlsVerify } = endpoint
  return { server, caPem, tlsServerName, tlsVerify, credential: { kind: 'token', token: new Secret(token) } }
}

/** What the control plane says, and whether it has the stored credential. */
const published = async (context: MemberContext, client: KubernetesClient): Promise<ClusterStatus> => {
  const { memberName } = context.membership
  const cluster = await client.get(clusters, memberName)
  const site = controlPlaneSite(context, client)
  const status = clusterStatus(site, cluster, context.member.cluster.identity?.uid)
  if (status.state !== 'ready' && status.state !== 'unknown') return status
  const [credential, secret] = await settleAll([
    () => storedCredential(context),
    () => client.get(secrets(MEMBERS_NAMESPACE), memberName),
  ])
  const token = TokenSecret.safeParse(secret).data?.data.token ?? ''
  if (credential !== undefined && Buffer.from(token, 'base64').toString() === credential.token) {
    if (status.state === 'unknown' || cluster === undefined) return status
    // A join has just looked into the member before it published the credential.
    const isJoining = operationOf(context.membership)?.kind === 'join'
    const connection = isJoining ? undefined : connectionTo(context, credential)
    return proxyStatus(site, cluster, { connect: context.connect, connection })
  }
  const message = `Secret ${MEMBERS_NAMESPACE}/${memberName} in the control plane does not hold the stored token.`
  return { state: 'not-ready', reason: 'TokenDiffers', message }
}

/** False before the control plane is set up, and after it is gone. */
export const hasControlPlane = async (context: FederationContext): Promise<boolean> =>
  stateOf(context.federation).endpoint !== undefined && (await readPki(context)) !== undefined

const ask = async (context: MemberContext): Promise<ClusterStatus> => {
  try {
    return await withControlPlane(context, (client) => published(context, client))
  } catch (error) {
    if (!(error instanceof Pending)) throw error
    return {
      state: 'not-ready',
      reason: 'ControlPlaneUnreachable',
      message: `The control plane can't be asked before there is ${error.message}.`,
    }
  }
}

/**
 * Ready when Karmada says so and has the stored credential. Where it says no more than that it can't reach the member, a look from here with that
 * credential tells faults of credential, TLS, network and API apart.
 */
export const observeMember = async (context: MemberContext): Promise<MemberObservation> => {
  if (!(await hasControlPlane(context))) return { state: 'absent' }
  const status = await ask(context)
  if (status.state !== 'unknown') return status
  const credential = await storedCredential(context)
  const connection = credential === undefined ? undefined : connectionTo(context, credential)
  if (connection === undefined) return { state: 'not-ready', reason: 'MemberUnreachable', message: status.said }
  return { state: 'not-ready', ...(await diagnose(context.connect, connection, status.said)) }
}
