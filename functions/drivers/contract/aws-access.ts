import type { Secret } from '../../domain/secret.ts'

/** Credentials that requests to AWS are signed with. */
export type AwsCredentials = {
  accessKeyId: string
  secretAccessKey: Secret
  /** Of temporary credentials. */
  sessionToken?: Secret
  /** When they end; absent for those that do not, or do not tell. */
  expiresAt?: Date
}

/** Services of AWS that drivers ask. */
export type AwsService = 'eks' | 'sts'

/** The process's own way into AWS, for drivers of clusters that are there. */
export interface AwsAccess {
  /**
   * Credentials of this process: of its Lambda role, or locally of the environment, a profile, or SSO.
   *
   * @throws AwsCredentialsMissing
   */
  credentials(): Promise<AwsCredentials>
  /** Base URL of a service in place of its public one (`AWS_ENDPOINT_URL_EKS`, …): VPC endpoints, emulators. Undefined: the public one. */
  endpoint(service: AwsService): string | undefined
}
