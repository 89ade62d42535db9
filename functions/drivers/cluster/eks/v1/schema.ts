import * as z from 'zod'
import type { Cluster } from '../../../../domain/cluster.ts'
import { Secret } from '../../../../domain/secret.ts'
import { RegistrationUnreadable } from './errors.ts'

/** Key in `driverState`, and attribute of the request. */
export const EKS = 'eks'

const Shown = z.object({ name: z.string(), region: z.string(), role_arn: z.string().optional() })

const Sealed = z.object({ external_id: z.string().optional() })

/** Which EKS cluster it is, and which role is assumed for it. */
export type EksSettings = {
  name: string
  region: string
  /** Null: the process's own credentials. */
  roleArn: string | null
  externalId: Secret | null
}

/** The part of the settings that is not secret; undefined when there is none. */
export const shownSettings = ({ driverState }: Pick<Cluster, 'driverState'>): z.infer<typeof Shown> | undefined =>
  Shown.safeParse(driverState[EKS]).data

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

/** What we read of EKS's DescribeCluster. Endpoint and authority are there once the cluster is ACTIVE. */
export const DescribeClusterAnswer = z.object({
  cluster: z.object({
    status: z.string(),
    endpoint: z.string().startsWith('https://').optional(),
    certificateAuthority: z.object({ data: z.string().min(1) }).optional(),
  }),
})

/** An error in JSON: the services do not agree on its keys. */
export const ErrorAnswer = z.object({
  __type: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  Message: z.string().optional(),
})
