import * as z from 'zod'
import { isAppError } from '../../../../core/values/app-error.ts'
import { Secret } from '../../../../core/values/secret.ts'
import type { Connection, KubernetesClient, KubernetesObject } from '../../../../kubernetes/client.ts'
import { secrets } from '../../../../kubernetes/resources.ts'
import type {
  FederationContext,
  FederationObservation,
  MemberObservation,
} from '../../../contract/federation-driver.ts'
import { federationSelector, listAll, type Site } from '../../../support/owned.ts'
import { settleAll } from '../../../support/settle-all.ts'
import { Pending } from '../../../support/step.ts'
import { inParallel } from './control-plane/apply-all.ts'
import { withControlPlane } from './control-plane/open.ts'
import { componentFault } from './host/component-fault.ts'
import { clusterFacts, clusterStatus } from './member/cluster-status.ts'
import { diagnose } from './member/diagnose.ts'
import { clusters } from './member/names.ts'
import { proxyStatus } from './member/proxy.ts'
import { controlPlaneSite } from './member/site.ts'
import { MEMBERS_NAMESPACE } from './names.ts'

type Fault = FederationObservation['fault']
type Members = Map<string, MemberObservation>

const TokenSecret = z.object({ data: z.object({ token: z.string(), caBundle: z.string().optional() }) })

const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8')

/** Secrets of members by name. */
type Tokens = ReadonlyMap<string, KubernetesObject>

/** The way that the control plane itself takes into a member; undefined when its Secret is not there. */
const connectionTo = (tokens: Tokens, cluster: KubernetesObject): Connection | undefined => {
  const secret = TokenSecret.safeParse(tokens.get(cluster.metadata.name)).data
  if (secret === undefined) return undefined
  const { apiEndpoint, insecureSkipTLSVerification } = clusterFacts(cluster)
  const { token, caBundle } = secret.data
  return {
    server: apiEndpoint,
    caPem: caBundle === undefined ? null : decode(caBundle),
    tlsServerName: null,
    tlsVerify: !insecureSkipTLSVerification,
    credential: { kind: 'token', token: new Secret(decode(token)) },
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
  return { state: 'not-ready', reason: 'TokenDiffers', message }
}

/** All members and their Secrets by two lists, and a look into each: at what is wrong, or whether `clusters/proxy` is still this federation's. */
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

const lookInside = (context: FederationContext): Promise<ControlPlaneObservation> =>
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
    return await lookInside(context)
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
