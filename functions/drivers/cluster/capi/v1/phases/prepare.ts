import type { Cluster } from '../../../../../domain/cluster.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ObjectConflict } from '../../../../../kubernetes/errors.ts'
import { namespaces, secrets } from '../../../../../kubernetes/resources.ts'
import type { ClusterContext, ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { CredentialMissing, ForeignObject } from '../../../../contract/errors.ts'
import { covers } from '../../../../support/covers.ts'
import { isTerminating } from '../../../../support/owned.ts'
import { NotYet, step } from '../../../../support/step.ts'
import { together } from '../../../../support/together.ts'
import { ManagementObjectChanged } from '../errors.ts'
import { Conditioned } from '../management/objects.schema.ts'
import { isOf, titled } from '../management/owned.ts'
import { clusters } from '../management/resources.ts'
import { type ManagementSite, managementSite } from '../management/site.ts'
import { CONTENT_HASH, managementObjects } from '../render/class-objects.ts'
import { isNamespaceOf, namespaceObject } from '../render/namespace.ts'
import { caSecrets } from '../render/secrets.ts'
import { namesState } from '../schema.ts'
import { addons } from './addons.ts'
import { putCloudSecret } from './cloud-secret.ts'

/** Seconds for what takes a few calls: retries of each. */
const PHASE_SECONDS = 300

/** Makes what was not there a moment ago. Somebody else may have been quicker: it is looked at again. @throws NotYet */
const makeNew = async (client: KubernetesClient, resource: Resource, object: KubernetesObject): Promise<void> => {
  try {
    await client.create(resource, object)
  } catch (error) {
    throw error instanceof ObjectConflict ? new NotYet(`${titled(object)}, which somebody else makes`) : error
  }
}

const ensureNamespace = async ({ client, names, where }: ManagementSite, { projectId }: Cluster): Promise<void> => {
  const existing = await client.get(namespaces, names.namespace)
  if (existing === undefined) {
    await makeNew(client, namespaces, namespaceObject(names, projectId))
    return
  }
  if (!isNamespaceOf(existing, projectId)) {
    throw new ForeignObject(
      `Namespace ${names.namespace} in management cluster ${where} was not made by fedplane for project ${projectId}, so nothing is put into it. ` +
        'Remove or rename it, or register the management cluster with another namespace_prefix.',
    )
  }
  if (isTerminating(existing)) throw new NotYet(`namespace ${names.namespace} to be gone before it is made again`)
}

/** The names are stored with it: users rename clusters, and all that follows has these. */
const namespace: ClusterPhase = {
  id: 'namespace',
  title: "make the project's namespace",
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    step(async () => {
      const site = await managementSite(context)
      await ensureNamespace(site, context.cluster)
      return { state: namesState(site.names) }
    }),
}

/** Its variables are known to Cluster API: before that it lets anything pass. */
const isClassReady = (object: KubernetesObject): boolean => {
  const { metadata, status } = Conditioned.parse(object)
  const known = status.conditions.some(({ type, status: value }) => type === 'VariablesReady' && value === 'True')
  return known && status.observedGeneration >= metadata.generation
}

type Made = ReturnType<typeof managementObjects>[number]

/** Makes one of them when it is not there. Never changes one: that would replace the machines of every cluster that was made from it. */
const ensureClassObject = async ({ client, where }: ManagementSite, { resource, object }: Made): Promise<void> => {
  const existing = await client.get(resource, object.metadata.name)
  if (existing === undefined) {
    await makeNew(client, resource, object)
    return
  }
  const [is, shall] = [existing, object].map(({ metadata }) => metadata.annotations?.[CONTENT_HASH])
  if (is === shall) return
  throw new ManagementObjectChanged(
    `${titled(existing)} in management cluster ${where} is not what this version of fedplane makes under that name (${CONTENT_HASH} is ${is ?? 'absent'}, not ${shall}). ` +
      'Objects of a class are never changed: delete it if no cluster uses it, or install the version of fedplane that made it.',
  )
}

export const clusterClassPhase: ClusterPhase = {
  id: 'class',
  title: 'make the cluster class',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    step(async () => {
      const site = await managementSite(context)
      const objects = managementObjects(site.infrastructure, site.names.namespace)
      for (const made of objects) await ensureClassObject(site, made)
      const last = objects.at(-1)
      const seen = last && (await site.client.get(last.resource, last.object.metadata.name))
      if (seen === undefined || !isClassReady(seen)) throw new NotYet('Cluster API to know the cluster class')
      return {}
    }),
}

export const cloudCredentialPhase: ClusterPhase = {
  id: 'cloud-credential',
  title: 'hand over the credential of the cloud',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    step(async () => {
      const site = await managementSite(context)
      if (site.infrastructure === 'openstack') await putCloudSecret(site, context)
      return {}
    }),
}

/** @throws CredentialMissing when fedplane does not hold all three */
const authoritiesOf = async ({ cluster, authority }: ClusterContext) => {
  const [kubernetes, etcd, frontProxy] = await together([
    () => authority('kubernetes'),
    () => authority('etcd'),
    () => authority('front-proxy'),
  ])
  if (kubernetes !== undefined && etcd !== undefined && frontProxy !== undefined) {
    return { kubernetes, etcd, 'front-proxy': frontProxy }
  }
  throw new CredentialMissing(
    `fedplane does not hold the certificate authorities of cluster ${cluster.name} (${cluster.id}).`,
  )
}

/** An authority in use is never replaced: nobody would trust the cluster any more. */
const ensureAuthority = async (site: ManagementSite, cluster: Cluster, secret: KubernetesObject): Promise<void> => {
  const { client, names, where } = site
  const resource = secrets(names.namespace)
  const existing = await client.get(resource, secret.metadata.name)
  if (existing !== undefined && covers(existing, secret)) return
  const isUsed = existing !== undefined && (await client.get(clusters(names.namespace), names.cluster)) !== undefined
  if (existing !== undefined && (isUsed || !isOf(cluster, existing))) {
    throw new ManagementObjectChanged(
      `${titled(existing)} in management cluster ${where} holds another certificate authority than fedplane's for cluster ${cluster.name}, and is not replaced. ` +
        'Delete the cluster and make it anew.',
    )
  }
  await client.apply(resource, secret)
}

/** Before the Cluster: Cluster API makes authorities of its own for what it does not find. */
const authorities: ClusterPhase = {
  id: 'authorities',
  title: 'hand over the certificate authorities',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    step(async () => {
      const site = await managementSite(context)
      const held = await authoritiesOf(context)
      for (const secret of caSecrets(context.cluster, site.names, held)) {
        await ensureAuthority(site, context.cluster, secret)
      }
      return {}
    }),
}

/** All that is there before the Cluster. */
export const preparePhases: readonly ClusterPhase[] = [
  namespace,
  clusterClassPhase,
  cloudCredentialPhase,
  authorities,
  addons,
]
