import type { Access } from '../../../../kubernetes/access-review.ts'
import { ClusterIdentityChanged, NotKubernetes, PermissionDenied } from '../../../../kubernetes/errors.ts'
import { kubeSystemUid } from '../../../../kubernetes/identity.ts'
import type { ClusterContext, ClusterPhase } from '../../../contract/cluster-driver.ts'
import { missingAccess } from '../../../support/permissions.ts'
import { whoAmI } from '../../../support/who-am-i.ts'
import { endpointOf, withClient } from './connection.ts'
import { observe } from './observe.ts'

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
const reach: ClusterPhase = {
  id: 'reach',
  title: 'reach the API server',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    withClient(context, async (client, connection) => {
      const version = await client.version()
      if (version.gitVersion === '' && version.minor === null) {
        throw new NotKubernetes(
          `${connection.server}/version names no Kubernetes version. Give the address of the cluster's API server.`,
        )
      }
      return { done: true, endpoint: endpointOf(context.cluster, connection) }
    }),
}

/** Who we are: `GET /version` says nothing about the credential (cases/SV-03). */
const identify: ClusterPhase = {
  id: 'identify',
  title: 'prove the credential',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    withClient(context, async (client) => {
      await whoAmI(client)
      return { done: true }
    }),
}

const permissions: ClusterPhase = {
  id: 'permissions',
  title: 'check permissions',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    withClient(context, async (client) => {
      const missing = await missingAccess(client, NEEDED)
      if (missing === '') return { done: true }
      throw new PermissionDenied(
        `The credential may not: ${missing}. fedplane needs both to tell clusters apart and to watch their health. ` +
          'Grant them, or send a kubeconfig of another account.',
        { details: { missing } },
      )
    }),
}

/** The uid of `kube-system` is the cluster's identity; one registration for each in a project. */
const claim: ClusterPhase = {
  id: 'claim',
  title: 'claim the identity',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    withClient(context, async (client) => {
      const [uid, user] = [await kubeSystemUid(client), await whoAmI(client)]
      await context.claimIdentity(uid)
      return { done: true, identity: { uid, user: user ?? UNKNOWN_USER } }
    }),
}

/** A new credential must be for the very cluster that is registered; one whose first registration failed has no identity yet. */
const sameIdentity: ClusterPhase = {
  ...claim,
  id: 'same-identity',
  title: 'compare the identity',
  ensure: async (context) => {
    const { identity, name } = context.cluster
    if (identity === null) return claim.ensure(context)
    return withClient(context, async (client) => {
      const [uid, user] = [await kubeSystemUid(client), await whoAmI(client)]
      if (uid === identity.uid) return { done: true, identity: { uid, user: user ?? UNKNOWN_USER } }
      throw new ClusterIdentityChanged(
        `The kubeconfig is for another cluster than ${name}: its kube-system uid is ${uid}, not ${identity.uid}. ` +
          'Register that cluster on its own.',
        { details: { expected: identity.uid, found: uid } },
      )
    })
  },
}

const look: ClusterPhase = {
  id: 'observe',
  title: 'look at nodes and health',
  deadlineSeconds: PHASE_SECONDS,
  ensure: async (context: ClusterContext) => ({ done: true, observation: await observe(context) }),
}

export const CREATE_PHASES: readonly ClusterPhase[] = [reach, identify, permissions, claim, look]
export const UPDATE_PHASES: readonly ClusterPhase[] = [reach, identify, permissions, sameIdentity, look]
