import type * as z from 'zod'
import type { Cluster } from '../../../../core/cluster/cluster.ts'
import { Secret } from '../../../../core/values/secret.ts'
import { RegistrationUnreadable } from './errors.ts'
import { Sealed, shownSettings } from './schema.ts'

/** Which EKS cluster it is, and which role is assumed for it. */
export type EksSettings = {
  name: string
  region: string
  /** Null: the process's own credentials. */
  roleArn: string | null
  externalId: Secret | null
}

const sealedSettings = (credential: Secret | undefined): z.infer<typeof Sealed> | undefined => {
  if (credential === undefined) return {}
  try {
    return Sealed.safeParse(JSON.parse(credential.reveal())).data
  } catch {
    return undefined
  }
}

/** @throws RegistrationUnreadable, without a word of what is sealed */
export const settingsOf = (
  cluster: Pick<Cluster, 'name' | 'driverState'>,
  credential: Secret | undefined,
): EksSettings => {
  const [shown, sealed] = [shownSettings(cluster), sealedSettings(credential)]
  if (shown === undefined || sealed === undefined) {
    throw new RegistrationUnreadable(
      `What is stored of cluster ${cluster.name} does not say which EKS cluster it is; delete it and register it again.`,
    )
  }
  return {
    name: shown.name,
    region: shown.region,
    roleArn: shown.role_arn ?? null,
    externalId: sealed.external_id === undefined ? null : new Secret(sealed.external_id),
  }
}
