import { operationOf } from '../../../../core/membership/membership.ts'
import { isAppError } from '../../../../core/values/app-error.ts'
import { Secret } from '../../../../core/values/secret.ts'
import type { Connection, KubernetesClient, KubernetesObject } from '../../../../kubernetes/client.ts'
import { secrets } from '../../../../kubernetes/resources.ts'
import type {
  FederationContext,
  FederationObservation,
  MemberContext,
  MemberObservation,
} from '../../../contract/federation-driver.ts'
import { federationSelector, listAll, type Site } from '../../../support/owned.ts'
import { Pending, settleAll } from '../../../support/step.ts'
import { inParallel } from './control-plane/apply-all.ts'
import { hasControlPlane, withControlPlane } from './control-plane/open.ts'
import { componentFault } from './host/reasons.ts'
import { type KarmadaCredential, storedCredential, tokenIn } from './member/manifests.ts'
import { clusters, controlPlaneSite } from './member/names.ts'
import { type ClusterStatus, clusterFacts, clusterStatus, diagnose, proxyStatus } from './member/status.ts'
import { MEMBERS_NAMESPACE } from './model/names.ts'

type Fault = FederationObservation['fault']
type Members = Map<string, MemberObservation>

/** Secrets of members by name. */
type Tokens = ReadonlyMap<string, KubernetesObject>

/** The way that the control plane itself takes into a member; undefined when its Secret is not there. */
const connectionTo = (tokens: Tokens, cluster: KubernetesObject): Connection | undefined => {
  const secret = tokenIn(tokens.get(cluster.metadata.name))
  if (secret === undefined) return undefined
  const { apiEndpoint, insecureSkipTLSVerification } = clusterFacts(cluster)
  return {
    server: apiEndpoint,
    caPem: secret.caPem,
    tlsServerName: null,
    tlsVerify: !insecureSkipTLSVerification,
    credential: { kind: 'token', token: new Secret(secret.token) },
  }
}

const memberOf = async (
  context: FederationContext,
  site: Site,
  tokens: Tokens,
  cluster: KubernetesObject,
): Promise<MemberObservation> => {
  const status = clusterStatus(site, cluster, undefined)
  if (status.state !== 'unknown' && status.state !== 'ready') return status
  const connection = connectionTo(tokens, cluster)
  if (status.state === 'ready') return proxyStatus(site, cluster, { connect: context.connect, connection })
  if (connection !== undefined) {
    return { state: 'not-ready', ...(await diagnose(context.connect, connection, status.said)) }
  }
  const message = `Secret ${MEMBERS_NAMESPACE}/${cluster.metadata.name} is missing in the control plane.`
  return { state: 'not-ready', reason: 'TokenDiffers', message, isRepairable: true }
}

/** All members and their Secrets by two lists, and an observation of each: at what is wrong, or whether `clusters/proxy` is still this federation's. */
const membersOf = async (context: FederationContext, client: KubernetesClient): Promise<Members> => {
  const members: Members = new Map()
  const site = controlPlaneSite(context, client)
  const [found, stored] = await settleAll([
    () => listAll(client, clusters),
    () => listAll(client, secrets(MEMBERS_NAMESPACE), federationSelector(context.federation.id)),
  ])
  const tokens = new Map(stored.map((secret) => [secret.metadata.name, secret]))
  await inParallel(found, async (cluster) => {
    const { clusterId } = clusterFacts(cluster)
    if (clusterId !== undefined) members.set(clusterId, await memberOf(context, site, tokens, cluster))
  })
  return members
}

type ControlPlaneObservation = { fault: Fault; members: Members }

const observeInside = (context: FederationContext): Promise<ControlPlaneObservation> =>
  withControlPlane(context, async (client) => {
    const { status } = await client.raw('/readyz')
    const message = `GET /readyz of the control plane answers ${status}.`
    const fault = status === 200 ? null : { reason: 'ControlPlaneNotReady', message }
    return { fault, members: await membersOf(context, client) }
  })

const outOfReach = (error: unknown): Fault => {
  if (error instanceof Pending) {
    const message = `The control plane can't be reached: there has to be ${error.message}.`
    return { reason: 'ControlPlaneUnreachable', message }
  }
  if (isAppError(error)) return { reason: 'ControlPlaneUnreachable', message: error.message }
  throw error
}

const inside = async (context: FederationContext): Promise<ControlPlaneObservation> => {
  try {
    return await observeInside(context)
  } catch (error) {
    return { fault: outOfReach(error), members: new Map() }
  }
}

const inHost = async (context: FederationContext): Promise<Fault> => {
  try {
    return await componentFault(context)
  } catch (error) {
    if (!isAppError(error)) throw error
    return { reason: 'HostUnreachable', message: error.message }
  }
}

/**
 * The control plane from inside (its health, and what it says of its members) and from outside (its pods in the host). A fault of a component says
 * more than that the control plane does not answer, so it comes first.
 */
export const observe = async (context: FederationContext): Promise<FederationObservation> => {
  const [component, { fault, members }] = await Promise.all([inHost(context), inside(context)])
  const isBlind = component?.reason === 'HostUnreachable' && fault !== null
  return { fault: isBlind ? fault : (component ?? fault), members }
}

const connectionWith = ({ member }: MemberContext, { token }: KarmadaCredential): Connection | undefined => {
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
  if (credential !== undefined && tokenIn(secret)?.token === credential.token) {
    if (status.state === 'unknown' || cluster === undefined) return status
    // A join has just looked into the member before it published the credential.
    const isJoining = operationOf(context.membership)?.kind === 'join'
    const connection = isJoining ? undefined : connectionWith(context, credential)
    return proxyStatus(site, cluster, { connect: context.connect, connection })
  }
  const message = `Secret ${MEMBERS_NAMESPACE}/${memberName} in the control plane does not hold the stored token.`
  return { state: 'not-ready', reason: 'TokenDiffers', message }
}

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
 * Ready when Karmada says so and has the stored credential. Where it says no more than that it can't reach the member, an observation from here with that
 * credential tells faults of credential, TLS, network and API apart.
 */
export const observeMember = async (context: MemberContext): Promise<MemberObservation> => {
  if (!(await hasControlPlane(context))) return { state: 'absent' }
  const status = await ask(context)
  if (status.state !== 'unknown') return status
  const credential = await storedCredential(context)
  const connection = credential === undefined ? undefined : connectionWith(context, credential)
  if (connection === undefined) return { state: 'not-ready', reason: 'MemberUnreachable', message: status.said }
  return { state: 'not-ready', ...(await diagnose(context.connect, connection, status.said)) }
}
