import type { Access } from '../../../kubernetes/access-review.ts'
import type { KubernetesClient } from '../../../kubernetes/client.ts'
import { ClusterIdentityChanged, NotKubernetes, PermissionDenied } from '../../../kubernetes/errors.ts'
import { namespaces } from '../../../kubernetes/resources.ts'
import type { ClusterPhase } from '../../contract/cluster-driver.ts'
import { missingAccess } from '../findings.ts'
import { whoAmI } from '../who-am-i.ts'
import { endpointOf, observeRegistered, type Way, withClient } from './observe.ts'

/**
 * uid of the `kube-system` namespace: the identity of a Kubernetes cluster.
 *
 * @throws NotKubernetes when there is none, and the errors of `get`
 */
export const kubeSystemUid = async (client: Pick<KubernetesClient, 'get'>): Promise<string> => {
  const uid = (await client.get(namespaces, 'kube-system'))?.metadata?.uid
  if (uid !== undefined && uid !== '') return uid
  throw new NotKubernetes(
    'The cluster has no kube-system namespace, so it has no identity; fedplane takes whole Kubernetes clusters, not bare API servers.',
  )
}

/** Seconds for each phase: a retry or two of a call that takes its 15 s. */
const PHASE_SECONDS = 60

/** Stands for the user where the server is too old to tell (before 1.28). */
const UNKNOWN_USER = 'unknown'

/** Without these a cluster can't be told from another, nor be watched. What a join needs is asked when it joins. */
const NEEDED: readonly Access[] = [
  { verb: 'get', group: '', resource: 'namespaces', name: 'kube-system' },
  { verb: 'list', group: '', resource: 'nodes' },
]

/** Address allowed, name known, connection, TLS, and a Kubernetes API server behind it: each fails with an error of its own. */
const reach = (way: Way): ClusterPhase => ({
  id: 'reach',
  title: 'reach the API server',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    withClient(way, context, async (client, connection) => {
      const version = await client.version()
      if (version.gitVersion === '' && version.minor === null) {
        throw new NotKubernetes(
          `${connection.server}/version names no Kubernetes version. Give the address of the cluster's API server.`,
        )
      }
      return { done: true, endpoint: endpointOf(context.cluster, connection) }
    }),
})

/** Who we are: `GET /version` says nothing about the credential (cases/SV-03). */
const identify = (way: Way): ClusterPhase => ({
  id: 'identify',
  title: 'prove the credential',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    withClient(way, context, async (client) => {
      await whoAmI(client)
      return { done: true }
    }),
})

const permissions = (way: Way): ClusterPhase => ({
  id: 'permissions',
  title: 'check permissions',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    withClient(way, context, async (client) => {
      const missing = await missingAccess(client, NEEDED)
      if (missing === '') return { done: true }
      throw new PermissionDenied(
        `The credential may not: ${missing}. fedplane needs both to tell clusters apart and to watch their health. ${way.grantAdvice}`,
        { details: { missing } },
      )
    }),
})

/** The uid of `kube-system` is the cluster's identity; one registration for each in a project. */
const claim = (way: Way): ClusterPhase => ({
  id: 'claim',
  title: 'claim the identity',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    withClient(way, context, async (client) => {
      const [uid, user] = [await kubeSystemUid(client), await whoAmI(client)]
      await context.claimIdentity(uid)
      return { done: true, identity: { uid, user: user ?? UNKNOWN_USER } }
    }),
})

/** A new credential must be for the very cluster that is registered; one whose first registration failed has no identity yet. */
const sameIdentity = (way: Way): ClusterPhase => ({
  ...claim(way),
  id: 'same-identity',
  title: 'compare the identity',
  ensure: async (context) => {
    const { identity, name } = context.cluster
    if (identity === null) return claim(way).ensure(context)
    return withClient(way, context, async (client) => {
      const [uid, user] = [await kubeSystemUid(client), await whoAmI(client)]
      if (uid === identity.uid) return { done: true, identity: { uid, user: user ?? UNKNOWN_USER } }
      throw new ClusterIdentityChanged(
        `The kubeconfig is for another cluster than ${name}: its kube-system namespace has another uid. Register that cluster on its own.`,
      )
    })
  },
})

const observePhase = (way: Way): ClusterPhase => ({
  id: 'observe',
  title: 'check nodes and health',
  deadlineSeconds: PHASE_SECONDS,
  ensure: async (context) => ({ done: true, observation: await observeRegistered(way, context) }),
})

/** Proves a cluster that is registered: what of it is stored comes from these. */
export const createPhases = (way: Way): readonly ClusterPhase[] => [
  reach(way),
  identify(way),
  permissions(way),
  claim(way),
  observePhase(way),
]

/** Proves a new credential of a cluster that is registered. */
export const credentialPhases = (way: Way): readonly ClusterPhase[] => [
  reach(way),
  identify(way),
  permissions(way),
  sameIdentity(way),
  observePhase(way),
]
