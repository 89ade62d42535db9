import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { CloudCredential, ClusterContext } from '../../../../contract/cluster-driver.ts'
import { CredentialMissing } from '../../../../contract/errors.ts'
import { covers } from '../../../../support/owned.ts'
import { settleAll } from '../../../../support/step.ts'
import { ensureOf, isOf, titled } from '../management/owned.ts'
import { getServed, type ManagementSite } from '../management/snapshot.ts'
import { ManagementObjectChanged } from '../model/errors.ts'
import { cloudSecretName, clusters } from '../model/names.ts'
import { caSecrets, cloudSecret } from '../render/secrets.ts'
import { managementPhase } from './phase.ts'

const CloudCredentialShape = z.object({
  authUrl: z.string(),
  region: z.string().nullable(),
  applicationCredentialId: z.string(),
  applicationCredentialSecret: z.string(),
  caPem: z.string().nullable(),
}) satisfies z.ZodType<CloudCredential>

/** JSON of an application credential, as `context.cloudCredential()` gives it. */
const CloudCredentialText = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      // What exactly is wrong with it is nobody's business: it is a secret.
      context.addIssue({ code: 'custom' })
      return z.NEVER
    }
  })
  .pipe(CloudCredentialShape)

/** @throws CredentialMissing */
export const cloudCredentialOf = async (context: ClusterContext): Promise<CloudCredential> => {
  const { cluster } = context
  const credential = CloudCredentialText.safeParse((await context.cloudCredential())?.reveal())
  if (!credential.success) {
    throw new CredentialMissing(
      `No application credential of cluster ${cluster.name} (${cluster.id}) is stored. Make one with PATCH /v1/credentials/${cluster.id}.`,
    )
  }
  return credential.data
}

/** Writes the Secret that CAPO signs in to the cloud with. @throws CredentialMissing */
export const putCloudSecret = async (site: ManagementSite, context: ClusterContext): Promise<void> => {
  const secret = cloudSecret(context.cluster, site.names, await cloudCredentialOf(context))
  await ensureOf(site, context.cluster, secrets(site.names.namespace), secret)
}

/** Writes it where it is missing; one that is there is left to the rotation of credentials. @throws CredentialMissing */
const keepCloudSecret = async (site: ManagementSite, context: ClusterContext): Promise<void> => {
  const existing = await site.client.get(secrets(site.names.namespace), cloudSecretName(site.names))
  if (existing === undefined) await putCloudSecret(site, context)
}

/** @throws CredentialMissing when fedplane does not hold all three */
const authoritiesOf = async ({ cluster, authority }: ClusterContext) => {
  const [kubernetes, etcd, frontProxy] = await settleAll([
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

const hasDataOf = (existing: KubernetesObject, { data }: KubernetesObject): boolean =>
  isDeepStrictEqual(existing.data, data)

/** An authority in use is never replaced: nobody would trust the cluster any more. What holds fedplane's is its own, whatever labels it has lost. */
const ensureAuthority = async (site: ManagementSite, cluster: Cluster, secret: KubernetesObject): Promise<void> => {
  const { client, names, where } = site
  const resource = secrets(names.namespace)
  const existing = await client.get(resource, secret.metadata.name)
  if (existing !== undefined && covers(existing, secret)) return
  const isOther = existing !== undefined && !hasDataOf(existing, secret)
  const isUsed = isOther && (await getServed(site, clusters(names.namespace), names.cluster)) !== undefined
  if (isOther && (isUsed || !isOf(cluster, existing))) {
    throw new ManagementObjectChanged(
      `${titled(existing)} in management cluster ${where} holds another certificate authority than fedplane's for cluster ${cluster.name}, and is not replaced. ` +
        'Delete the cluster and make it anew.',
    )
  }
  await client.apply(resource, secret)
}

const putAuthorities = async (site: ManagementSite, context: ClusterContext): Promise<void> => {
  const held = await authoritiesOf(context)
  for (const secret of caSecrets(context.cluster, site.names, held)) {
    await ensureAuthority(site, context.cluster, secret)
  }
}

/** Before the Cluster: Cluster API makes authorities of its own for what it does not find. */
export const authorities = managementPhase(
  { id: 'authorities', title: 'hand over the certificate authorities' },
  async (context, site) => {
    await putAuthorities(site, context)
    return {}
  },
)

/** Before a change: no machine comes up without them, and Cluster API does not say which is missing. */
export const keptSecrets = managementPhase(
  { id: 'secrets', title: 'put back Secrets that are missing' },
  async (context, site) => {
    await putAuthorities(site, context)
    if (site.infrastructure === 'openstack') await keepCloudSecret(site, context)
    return {}
  },
)
