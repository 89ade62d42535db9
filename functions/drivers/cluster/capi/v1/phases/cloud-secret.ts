import { secrets } from '../../../../../kubernetes/resources.ts'
import type { CloudCredential, ClusterContext } from '../../../../contract/cluster-driver.ts'
import { CredentialMissing } from '../../../../contract/errors.ts'
import { CloudCredentialText } from '../cloud-credential.schema.ts'
import { ensureOf } from '../management/owned.ts'
import type { ManagementSite } from '../management/site.ts'
import { cloudSecretName } from '../render/names.ts'
import { cloudSecret } from '../render/secrets.ts'

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
export const keepCloudSecret = async (site: ManagementSite, context: ClusterContext): Promise<void> => {
  const existing = await site.client.get(secrets(site.names.namespace), cloudSecretName(site.names))
  if (existing === undefined) await putCloudSecret(site, context)
}
