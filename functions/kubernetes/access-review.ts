import * as z from 'zod'
import type { KubernetesClient } from './client.ts'
import { NotKubernetes } from './errors.ts'
import type { Review } from './manifest.ts'

const AUTHORIZATION = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

/** Something that an account may or may not do. */
export type Access = {
  verb: string
  /** `''` for the core API. */
  group: string
  /** Lower-case plural; a subresource after a slash: `serviceaccounts/token`. */
  resource: string
  /** Absent: cluster-scoped, or in all namespaces. */
  namespace?: string
  name?: string
}

const SelfSubjectAccessReview = z.object({ status: z.object({ allowed: z.boolean() }) })

/** Those of `wanted` that the cluster denies us, in the order given. Changes nothing. */
export const deniedAccess = async (
  client: Pick<KubernetesClient, 'post'>,
  wanted: readonly Access[],
): Promise<Access[]> => {
  const answers = await Promise.all(wanted.map((access) => isAllowed(client, access)))
  return wanted.filter((_, index) => answers[index] === false)
}

/** `create clusterrolebindings.rbac.authorization.k8s.io in namespace x`: for messages. */
export const describeAccess = ({ verb, group, resource, namespace, name }: Access): string =>
  [
    verb,
    `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : `/${name}`}`,
    ...(namespace === undefined ? [] : ['in namespace', namespace]),
  ].join(' ')

const isAllowed = async (client: Pick<KubernetesClient, 'post'>, access: Access): Promise<boolean> => {
  const { resource: path, ...attributes } = access
  const [resource = '', subresource] = path.split('/')
  const answer = await client.post(AUTHORIZATION, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { ...attributes, resource, ...(subresource === undefined ? {} : { subresource }) } },
  } satisfies Review<'SelfSubjectAccessReview'>)
  return parsed(SelfSubjectAccessReview, answer).status.allowed
}

const parsed = <T>(shape: z.ZodType<T>, answer: unknown): T => {
  const { success, data } = shape.safeParse(answer)
  if (success) return data
  throw new NotKubernetes('The cluster answered a review of our access in a form that no Kubernetes API server has.')
}
