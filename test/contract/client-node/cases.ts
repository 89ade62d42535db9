import {
  ApiException,
  AuthenticationV1Api,
  CoreV1Api,
  type KubeConfig,
  KubeConfig as KubeConfiguration,
  KubernetesObjectApi,
  PatchStrategy,
  RbacAuthorizationV1Api,
  type V1ClusterRole,
  type V1ConfigMap,
  Watch,
} from '@kubernetes/client-node'
import { expect } from 'vitest'

/** An API server as a person's kubeconfig leads to it. */
export type Subject = {
  config: KubeConfig
  /** Of this run. */
  namespace: string
  /** The server tells changes as they happen, and who manages which field. The simulated one does not (its README). */
  isReal: boolean
}

/** What a client that nobody here wrote does with an API server; in order, for later ones use what earlier ones made. */
export type Case = { title: string; run(subject: Subject): Promise<void> }

const objects = ({ config }: Subject): KubernetesObjectApi => KubernetesObjectApi.makeApiClient(config)
const core = ({ config }: Subject): CoreV1Api => config.makeApiClient(CoreV1Api)

const configMap = (
  { namespace }: Subject,
  name: string,
  more: Pick<V1ConfigMap, 'data'> = {},
): V1ConfigMap & { metadata: { name: string } } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { app: 'client-node' } },
  ...more,
})

/** Code and reason of a refusal. The library gives bodies as text where it has no schema for the code, and none of a 401. */
const refusal = async (call: Promise<unknown>): Promise<{ code: number; reason: string | undefined }> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiException)
  const { code, body } = error as ApiException<unknown>
  const status = typeof body === 'string' ? JSON.parse(body) : body
  return { code, reason: status?.reason }
}

const apply = (subject: Subject, value: string, fieldManager: string, force?: boolean) =>
  objects(subject).patch(
    configMap(subject, 'applied', { data: { value } }),
    undefined,
    undefined,
    fieldManager,
    force,
    PatchStrategy.ServerSideApply,
  )

/** The same server with another token. */
const as = ({ config }: Subject, token: string): KubeConfig => {
  const [cluster] = [config.getCurrentCluster()]
  const other = new KubeConfiguration()
  other.loadFromClusterAndUser(cluster!, { name: 'other', token })
  return other
}

const tokenOf = async (subject: Subject): Promise<string> => {
  const { namespace } = subject
  const body = { spec: { audiences: [], expirationSeconds: 600 } }
  const { status } = await core(subject).createNamespacedServiceAccountToken({ name: 'someone', namespace, body })
  return status?.token ?? ''
}

const creates: Case[] = [
  {
    title: 'creates a namespace by the typed API',
    run: async (subject) => {
      const { namespace: name } = subject
      const made = await core(subject).createNamespace({ body: { metadata: { name } } })
      expect(made.metadata).toMatchObject({ name, uid: expect.any(String), creationTimestamp: expect.any(Date) })
    },
  },
  {
    title: 'creates an object whose kind it finds by discovery, and reads it',
    run: async (subject) => {
      await objects(subject).create(configMap(subject, 'made', { data: { value: '1' } }))
      const read = await objects(subject).read<V1ConfigMap>(configMap(subject, 'made'))
      expect(read.data).toEqual({ value: '1' })
    },
  },
  {
    title: 'is refused a second one, an invalid one, and one that is not there',
    run: async (subject) => {
      const { namespace } = subject
      const of = objects(subject)
      expect(await refusal(of.create(configMap(subject, 'made')))).toEqual({ code: 409, reason: 'AlreadyExists' })
      const invalid = { namespace, body: { metadata: { name: 'Not_A_Name' } } }
      expect(await refusal(core(subject).createNamespacedConfigMap(invalid))).toEqual({ code: 422, reason: 'Invalid' })
      const absent = core(subject).readNamespacedConfigMap({ name: 'absent', namespace })
      expect(await refusal(absent)).toEqual({ code: 404, reason: 'NotFound' })
    },
  },
]

const changes: Case[] = [
  {
    title: 'applies on the server, and owns the fields that it gave',
    run: async (subject) => {
      const made = await apply(subject, 'a', 'first')
      expect((made as V1ConfigMap).data).toEqual({ value: 'a' })
      const managers = made.metadata?.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)
      expect(managers).toEqual(subject.isReal ? ['first Apply'] : undefined)
    },
  },
  {
    title: 'is refused what another manager owns, unless it insists',
    run: async (subject) => {
      expect(await refusal(apply(subject, 'b', 'second'))).toEqual({ code: 409, reason: 'Conflict' })
      expect(((await apply(subject, 'b', 'second', true)) as V1ConfigMap).data).toEqual({ value: 'b' })
    },
  },
  {
    title: 'patches by a merge: null takes a field away',
    run: async (subject) => {
      const merge = (data: object) =>
        objects(subject).patch(
          configMap(subject, 'made', { data: data as Record<string, string> }),
          undefined,
          undefined,
          undefined,
          undefined,
          PatchStrategy.MergePatch,
        )
      expect(((await merge({ more: '2' })) as V1ConfigMap).data).toEqual({ value: '1', more: '2' })
      expect(((await merge({ value: null })) as V1ConfigMap).data).toEqual({ more: '2' })
    },
  },
  {
    title: 'replaces only what has not changed meanwhile',
    run: async (subject) => {
      const { namespace } = subject
      const body = await core(subject).readNamespacedConfigMap({ name: 'made', namespace })
      const replace = (value: string) =>
        core(subject).replaceNamespacedConfigMap({ name: 'made', namespace, body: { ...body, data: { value } } })
      expect((await replace('3')).data).toEqual({ value: '3' })
      expect(await refusal(replace('4'))).toEqual({ code: 409, reason: 'Conflict' })
    },
  },
]

const lists: Case[] = [
  {
    title: 'lists by label, page by page',
    run: async (subject) => {
      const { namespace } = subject
      const page = (token?: string) =>
        core(subject).listNamespacedConfigMap({
          namespace,
          labelSelector: 'app=client-node',
          limit: 1,
          ...(token === undefined ? {} : { _continue: token }),
        })
      const first = await page()
      const second = await page(first.metadata?._continue)
      const names = [...first.items, ...second.items].map(({ metadata }) => metadata?.name)
      expect(names).toEqual(['applied', 'made'])
      expect(second.metadata?._continue ?? '').toBe('')
    },
  },
  {
    title: 'watches, or is told that there is no watch',
    run: async (subject) => {
      const { namespace, config, isReal } = subject
      const seen = Promise.withResolvers<unknown>()
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const query = { fieldSelector: 'metadata.name=made' }
      const found = (type: string, object: V1ConfigMap): void => seen.resolve([type, object.metadata?.name])
      const controller = await new Watch(config).watch(path, query, found, (error) => seen.resolve(error))
      const result = await seen.promise
      controller.abort()
      if (isReal) expect(result).toEqual(['ADDED', 'made'])
      else expect(String(result)).toMatch(/Bad Request|400/)
    },
  },
]

const ends: Case[] = [
  {
    title: 'deletes, and what a finalizer holds stays until that is taken away',
    run: async (subject) => {
      const { namespace } = subject
      const [name, held] = ['held', { name: 'held', namespace }]
      const finalizers = ['example.com/held']
      const body = { metadata: { name, finalizers } }
      await core(subject).createNamespacedConfigMap({ namespace, body })
      await core(subject).deleteNamespacedConfigMap(held)
      const kept = await core(subject).readNamespacedConfigMap(held)
      expect(kept.metadata).toMatchObject({ deletionTimestamp: expect.any(Date), finalizers })
      await core(subject).replaceNamespacedConfigMap({
        ...held,
        body: { ...kept, metadata: { ...kept.metadata, finalizers: [] } },
      })
      expect(await refusal(core(subject).readNamespacedConfigMap(held))).toEqual({ code: 404, reason: 'NotFound' })
    },
  },
  {
    title: 'deletes only the object with that uid',
    run: async (subject) => {
      const { namespace } = subject
      const other = { name: 'made', namespace, body: { preconditions: { uid: 'of-another' } } }
      expect(await refusal(core(subject).deleteNamespacedConfigMap(other))).toEqual({ code: 409, reason: 'Conflict' })
      await core(subject).deleteNamespacedConfigMap({ name: 'made', namespace })
    },
  },
]

const identities: Case[] = [
  {
    title: 'gets a token for an account, is that account with it, and may do nothing',
    run: async (subject) => {
      const { namespace } = subject
      await core(subject).createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'someone' } } })
      const config = as(subject, await tokenOf(subject))
      const review = await config.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} })
      expect(review.status?.userInfo?.username).toBe(`system:serviceaccount:${namespace}:someone`)
      const list = config.makeApiClient(CoreV1Api).listNamespacedSecret({ namespace })
      expect(await refusal(list)).toEqual({ code: 403, reason: 'Forbidden' })
    },
  },
  {
    title: 'is refused with a token of nobody',
    run: async (subject) => {
      const list = as(subject, 'token-of-nobody').makeApiClient(CoreV1Api).listNamespace()
      expect(await refusal(list)).toEqual({ code: 401, reason: undefined })
    },
  },
  {
    // The library writes the whole path in lower case; that it does so is why it is no client for us (decision 0008).
    title: 'reads a name with capitals by the typed API, and not by the other',
    run: async (subject) => {
      const rbac = subject.config.makeApiClient(RbacAuthorizationV1Api)
      const name = `Read:${subject.namespace}`
      await rbac.createClusterRole({ body: { metadata: { name }, rules: [] } })
      expect((await rbac.readClusterRole({ name })).metadata?.name).toBe(name)
      const header = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name } }
      expect((await refusal(objects(subject).read<V1ClusterRole>(header))).code).toBe(404)
      await rbac.deleteClusterRole({ name })
    },
  },
]

export const CASES: readonly Case[] = [...creates, ...changes, ...lists, ...ends, ...identities]

/** Takes away what the cases leave. */
export const cleanUp = async (subject: Subject): Promise<void> => {
  await core(subject).deleteNamespace({ name: subject.namespace })
}
