import { createInNamespace } from './bootstrap.ts'
import type { Cluster } from './cluster.ts'
import { apiServiceController } from './controllers/api-services.ts'
import { claimController } from './controllers/claims.ts'
import { deploymentController } from './controllers/deployments.ts'
import { garbageCollector } from './controllers/garbage.ts'
import { conditionsOf, patchStored, withCondition } from './controllers/patch-stored.ts'
import { serviceController } from './controllers/services.ts'
import { statefulSetController } from './controllers/stateful-sets.ts'
import { CRD_FINALIZER, finishDeletion, startDeletion } from './deletion.ts'
import { CRDS, type CrdSpec, isEstablished, servedTypes } from './resource-types.ts'
import type { ApiObject } from './types.ts'

const NAMESPACES = { group: '', plural: 'namespaces' }
const SECRETS = { group: '', plural: 'secrets' }
const SERVICE_ACCOUNTS = { group: '', plural: 'serviceaccounts' }
const CONFIG_MAPS = { group: '', plural: 'configmaps' }
const ACCOUNT = 'kubernetes.io/service-account.name'
const ACCOUNT_UID = 'kubernetes.io/service-account.uid'

/** Milliseconds between a change and the controllers' answer: enough that a caller who does not wait sees the state before. */
const REACTION_MS = 15

/** Makes a definition served, as the establishing controller does. */
const establish = (cluster: Cluster, crd: ApiObject): void => {
  if (isEstablished(crd) || crd.metadata.deletionTimestamp !== undefined) return
  const spec = crd.spec as CrdSpec
  const lastTransitionTime = cluster.timestamp()
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    reason,
    message,
    lastTransitionTime,
  })
  patchStored(cluster, CRDS, crd, {
    status: {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      acceptedNames: spec.names,
      storedVersions: spec.versions.filter((version) => version.storage).map((version) => version.name),
    },
  })
}

const dropFinalizer = (cluster: Cluster, crd: ApiObject): void => {
  const finalizers = (crd.metadata.finalizers ?? []).filter((name) => name !== CRD_FINALIZER)
  finishDeletion(cluster, CRDS, patchStored(cluster, CRDS, crd, { metadata: { ...crd.metadata, finalizers } }))
}

/** Deletes the custom resources of a definition that is going, then lets it go. */
const cleanDefinition = (cluster: Cluster, crd: ApiObject): void => {
  if (!crd.metadata.finalizers?.includes(CRD_FINALIZER) || crd.metadata.deletionTimestamp === undefined) return
  const { group, names } = crd.spec as CrdSpec
  const collection = { group, plural: names.plural }
  for (const object of cluster.store.list(collection)) startDeletion(cluster, collection, object)
  if (cluster.store.list(collection).length === 0) dropFinalizer(cluster, crd)
}

const isTokenSecret = (secret: ApiObject): boolean => secret.type === 'kubernetes.io/service-account-token'

const fillSecret = (cluster: Cluster, secret: ApiObject, account: ApiObject): void => {
  const data = (secret.data ?? {}) as Record<string, string>
  if (data.token !== undefined) return
  const encode = (text: string): string => Buffer.from(text).toString('base64')
  const annotations = {
    ...secret.metadata.annotations,
    [ACCOUNT_UID]: account.metadata.uid ?? '',
  }
  patchStored(cluster, SECRETS, secret, {
    metadata: { ...secret.metadata, annotations },
    data: {
      ...data,
      'ca.crt': encode(cluster.caPem),
      namespace: encode(account.metadata.namespace ?? ''),
      token: encode(cluster.tokens.forSecret(account, secret)),
    },
  })
}

/** The account of a token Secret: not one that was made anew under its name. */
const accountOf = (
  cluster: Cluster,
  { metadata: { namespace, annotations = {} } }: ApiObject,
): ApiObject | undefined => {
  const account = cluster.store.get(SERVICE_ACCOUNTS, annotations[ACCOUNT] ?? '', namespace)?.object
  const uid = annotations[ACCOUNT_UID]
  return uid === undefined || uid === account?.metadata.uid ? account : undefined
}

/** Fills token Secrets, and deletes those whose account is gone. */
const tokenController = (cluster: Cluster): void => {
  for (const secret of cluster.store.list(SECRETS).filter(isTokenSecret)) {
    const { name, namespace } = secret.metadata
    const account = accountOf(cluster, secret)
    if (account === undefined) cluster.store.remove(SECRETS, name, namespace)
    else fillSecret(cluster, secret, account)
  }
}

/** Gives each active namespace its account `default` and the CA's ConfigMap, as the service-account and root-CA controllers do. */
const fillNamespace = (cluster: Cluster, name: string): void => {
  if (cluster.store.get(SERVICE_ACCOUNTS, 'default', name) === undefined) {
    createInNamespace(cluster, SERVICE_ACCOUNTS, { kind: 'ServiceAccount', namespace: name, name: 'default' })
  }
  if (cluster.store.get(CONFIG_MAPS, 'kube-root-ca.crt', name) === undefined) {
    const data = { 'ca.crt': cluster.caPem }
    createInNamespace(cluster, CONFIG_MAPS, { kind: 'ConfigMap', namespace: name, name: 'kube-root-ca.crt' }, { data })
  }
}

/** What a namespace that does not go says. */
const block = (cluster: Cluster, namespace: ApiObject, message: string): void => {
  const type = 'NamespaceContentRemaining'
  const condition = { type, status: 'True' as const, reason: 'SomeResourcesRemain', message }
  const conditions = withCondition(conditionsOf(namespace), condition, cluster.timestamp())
  patchStored(cluster, NAMESPACES, namespace, { status: { phase: 'Terminating', conditions } })
}

const emptyNamespace = (cluster: Cluster, namespace: ApiObject): void => {
  const { name } = namespace.metadata
  const collections = new Map(
    servedTypes(cluster)
      .filter((type) => type.namespaced)
      .map(({ group, plural }) => [`${group}/${plural}`, { group, plural }]),
  )
  let left = 0
  for (const collection of collections.values()) {
    for (const object of cluster.store.list(collection, name)) startDeletion(cluster, collection, object)
    left += cluster.store.list(collection, name).length
  }
  const { finalizers = [] } = namespace.spec as { finalizers?: string[] }
  if (left === 0 && finalizers.length > 0) {
    finishDeletion(cluster, NAMESPACES, patchStored(cluster, NAMESPACES, namespace, { spec: {} }))
  }
}

/** Empties namespaces that are going, then lets them go. */
const namespaceController = (cluster: Cluster): void => {
  for (const namespace of cluster.store.list(NAMESPACES)) {
    if (namespace.metadata.deletionTimestamp === undefined) fillNamespace(cluster, namespace.metadata.name)
    else {
      const blocker = cluster.behaviour.namespaceBlocker(namespace.metadata.name)
      if (blocker === undefined) emptyNamespace(cluster, namespace)
      else block(cluster, namespace, blocker)
    }
  }
}

const definitionControllers = (cluster: Cluster): void => {
  for (const crd of cluster.store.list(CRDS)) {
    establish(cluster, crd)
    cleanDefinition(cluster, crd)
  }
}

const runOnce = (cluster: Cluster): void => {
  const { tokenController: fillsTokens, namespaceController: emptiesNamespaces, ...behaviour } = cluster.behaviour
  definitionControllers(cluster)
  apiServiceController(cluster)
  if (fillsTokens) tokenController(cluster)
  if (behaviour.workloadControllers) {
    statefulSetController(cluster)
    deploymentController(cluster)
    serviceController(cluster)
  }
  claimController(cluster)
  if (behaviour.garbageCollector) garbageCollector(cluster)
  if (emptiesNamespaces) namespaceController(cluster)
}

export type Controllers = {
  /** Lets them look again, for what changed beside the store. */
  refresh(): void
  stop(): void
}

/**
 * Runs the controllers that the cluster's behaviour names a moment after each change, until stopped. Definitions and registered API
 * servers are always looked after: the API server does that itself.
 */
export const startControllers = (cluster: Cluster): Controllers => {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const refresh = (): void => {
    if (!stopped) timer ??= setTimeout(run, REACTION_MS)
  }
  const run = (): void => {
    timer = undefined
    runOnce(cluster)
  }
  cluster.store.onChange(refresh)
  refresh()
  return {
    refresh,
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
