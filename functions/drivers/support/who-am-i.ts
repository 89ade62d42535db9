import * as z from 'zod'
import { deniedAccess } from '../../kubernetes/access-review.ts'
import type { KubernetesClient, KubernetesObject } from '../../kubernetes/client.ts'
import { CredentialRejected, ObjectNotFound, PermissionDenied } from '../../kubernetes/errors.ts'
import type { Review as ReviewBody } from '../../kubernetes/manifest.ts'

const Review = z.object({ status: z.object({ userInfo: z.object({ username: z.string().min(1) }) }) })

/** Characters of a user's name that are kept: it is stored, and the server may tell anything. */
const NAME_MAX = 1024

/** The user of every request without a credential, or with a client certificate of an unknown authority where anonymous is allowed. */
const ANONYMOUS = 'system:anonymous'

const API_VERSION = 'authentication.k8s.io/v1'

/** Undefined on servers before 1.28. */
const selfSubjectReview = async (client: KubernetesClient): Promise<KubernetesObject | undefined> => {
  try {
    const body: ReviewBody<'SelfSubjectReview'> = { apiVersion: API_VERSION, kind: 'SelfSubjectReview' }
    return await client.post(`/apis/${API_VERSION}/selfsubjectreviews`, body)
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined
    throw error
  }
}

const anonymous = (cause?: unknown): CredentialRejected =>
  new CredentialRejected(
    'The cluster treats the credential as anonymous: it does not know the token, or the authority of the client certificate. ' +
      'Give a kubeconfig with a credential of this cluster.',
    { cause },
  )

/**
 * Who the API server says we are: null when it accepts the credential but is too old to tell (before 1.28). A bad token may well get
 * an answer from `/version`, so this is what proves a credential (cases/SV-03).
 *
 * @throws CredentialRejected when the credential is refused, or counts as anonymous
 */
export const whoAmI = async (client: KubernetesClient): Promise<string | null> => {
  try {
    const review = Review.safeParse(await selfSubjectReview(client))
    if (review.success) {
      const { username } = review.data.status.userInfo
      if (username === ANONYMOUS) throw anonymous()
      return username.slice(0, NAME_MAX)
    }
    // Like the review above, this may be asked by everybody who is authenticated (ClusterRole system:basic-user), whatever the answer.
    await deniedAccess(client, [{ verb: 'get', group: '', resource: 'namespaces', name: 'kube-system' }])
    return null
  } catch (error) {
    if (error instanceof PermissionDenied) throw anonymous(error)
    throw error
  }
}

/**
 * What time it is in the cluster: the API server stamps a SelfSubjectReview. Ages of the cluster's objects are reckoned with it, so
 * that a difference between its clock and ours does not matter (cases/JN-19). Our time where the server does not tell.
 */
export const clusterTime = async (client: KubernetesClient, now: string): Promise<Date> => {
  const review = await selfSubjectReview(client)
  return new Date(review?.metadata?.creationTimestamp ?? now)
}
