import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import type { KubernetesClient, KubernetesObject, Resource } from '../../functions/kubernetes/client.ts'
import { ObjectConflict } from '../../functions/kubernetes/errors.ts'
import { CliError } from '../errors.ts'
import { clusterClient, explained } from './cluster-client.ts'
import type { ContextEntries } from './local-kubeconfig.ts'

/** What the command line creates in a cluster whose credential it can't hand over, so that fedplane has one of its own there. */

const NAMESPACE = 'fedplane-access'
const LABELS = { 'app.kubernetes.io/managed-by': 'fedplane-cli' }

const NAMESPACES: Resource = { group: '', version: 'v1', plural: 'namespaces' }
const ACCOUNTS: Resource = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: NAMESPACE }
const SECRETS: Resource = { group: '', version: 'v1', plural: 'secrets', namespace: NAMESPACE }
const BINDINGS: Resource = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' }

/** One account for each name under which a cluster is registered. */
const accountOf = (cluster: string): string => `fedplane-${cluster}`.slice(0, 63).replace(/-+$/, '')

const objectsOf = (cluster: string, role: string): (readonly [Resource, KubernetesObject])[] => {
  const name = accountOf(cluster)
  const metadata = { name, namespace: NAMESPACE, labels: LABELS }
  return [
    [NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: LABELS } }],
    [ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }],
    [
      BINDINGS,
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name, labels: LABELS },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ kind: 'ServiceAccount', name, namespace: NAMESPACE }],
      },
    ],
    [
      SECRETS,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/service-account-token',
        metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': name } },
      },
    ],
  ]
}

/** What will be created, for the question before it. */
export const describeAccess = (cluster: string, role: string): string =>
  objectsOf(cluster, role)
    .map(([, { kind, metadata }]) => `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`)
    .join(', ')

const Token = z.object({ data: z.object({ token: z.string() }) })
const TOKEN_POLLS = 40
const TOKEN_POLL_MS = 250

/** The token that the cluster's own controller writes into the Secret. @throws CliError where none runs */
const tokenOf = async (client: KubernetesClient, name: string): Promise<string> => {
  for (let poll = 0; poll < TOKEN_POLLS; poll += 1) {
    const found = Token.safeParse(await client.get(SECRETS, name))
    if (found.success) return Buffer.from(found.data.data.token, 'base64').toString()
    await delay(TOKEN_POLL_MS)
  }
  throw new CliError(`The cluster writes no token into Secret ${NAMESPACE}/${name}.`, {
    remedy: 'Its kube-controller-manager must run the controller serviceaccount-token.',
  })
}

const Binding = z.object({ roleRef: z.object({ name: z.string() }) })

/** @throws CliError for a binding that is there with another role: the role of a binding can't be changed */
const createMissing = async (client: KubernetesClient, resource: Resource, object: KubernetesObject): Promise<void> => {
  try {
    await client.create(resource, object)
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    const { name } = object.metadata
    const [asked, there] = [Binding.safeParse(object).data, Binding.safeParse(await client.get(resource, name)).data]
    if (asked?.roleRef.name === there?.roleRef.name) return
    throw new CliError(`The ClusterRoleBinding ${name} is there already, with the role ${there?.roleRef.name}.`, {
      remedy: `kubectl delete clusterrolebinding ${name}, or --role ${there?.roleRef.name}`,
    })
  }
}

/**
 * Creates a ServiceAccount with a ClusterRole, and a token that does not expire. What is there already stays.
 *
 * @returns the context with that token as its credential
 * @throws CliError
 */
export const createAccess = async (context: ContextEntries, cluster: string, role: string): Promise<ContextEntries> => {
  const client = clusterClient(context)
  try {
    for (const [resource, object] of objectsOf(cluster, role)) await createMissing(client, resource, object)
    return { ...context, user: { token: await tokenOf(client, accountOf(cluster)) } }
  } catch (error) {
    throw explained(error, context.name)
  } finally {
    client.close()
  }
}

/** True when this cluster holds an account of that name, made by the command line. */
export const hasAccess = async (client: KubernetesClient, cluster: string): Promise<boolean> => {
  const found = await client.get(ACCOUNTS, accountOf(cluster))
  return found?.metadata.labels?.['app.kubernetes.io/managed-by'] === LABELS['app.kubernetes.io/managed-by']
}

const removeOurs = async (client: KubernetesClient, resource: Resource, name: string): Promise<void> => {
  const { metadata } = (await client.get(resource, name)) ?? {}
  const isOurs = metadata?.labels?.['app.kubernetes.io/managed-by'] === LABELS['app.kubernetes.io/managed-by']
  if (metadata && isOurs) await client.delete(resource, name, metadata.uid === undefined ? {} : { uid: metadata.uid })
}

/** Takes away what `createAccess` made for a cluster. The namespace goes with the last account in it. */
export const removeAccess = async (client: KubernetesClient, cluster: string): Promise<void> => {
  const name = accountOf(cluster)
  for (const resource of [SECRETS, BINDINGS, ACCOUNTS]) await removeOurs(client, resource, name)
  const { items } = await client.list(ACCOUNTS, {
    labelSelector: 'app.kubernetes.io/managed-by=fedplane-cli',
    limit: 1,
  })
  if (items.length === 0) await removeOurs(client, NAMESPACES, NAMESPACE)
}
