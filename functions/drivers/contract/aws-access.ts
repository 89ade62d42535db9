import type { Secret } from '../../core/values/secret.ts'

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

/** An IAM role, or an EKS cluster, that a project may use through the process's credentials. */
export type AwsGrant = {
  /** Null: every project. */
  projectId: string | null
  /** `*` stands for any text. */
  arn: string
}

/** What projects may use of AWS; `everything` on a machine of one person, whose credentials they are. */
export type AwsGrants = 'everything' | readonly AwsGrant[]

/** The process's own way into AWS, for drivers of clusters that are there. */
export interface AwsAccess {
  /** Demanded of every use of the credentials: they are the operator's, and those who register clusters are others. */
  readonly grants: AwsGrants
  /**
   * Credentials of this process: of its Lambda role, or locally of the environment, a profile, or SSO.
   *
   * @throws AwsCredentialsMissing
   */
  credentials(): Promise<AwsCredentials>
  /** Base URL of a service in place of its public one (`AWS_ENDPOINT_URL_EKS`, …): VPC endpoints, emulators. Undefined: the public one. */
  endpoint(service: AwsService): string | undefined
}

/** `<project>=<ARN>`, or an ARN that every project may use. No project's id has a comma or begins with `arn:`. */
const ENTRY = /^(?:([^=]+)=)?(arn:[^=]+(?:=.*)?)$/

/**
 * What projects may use of AWS, from a list separated by commas: entries `<project>=<ARN>` for one project, `<ARN>` for all.
 *
 * @throws TypeError naming the entry that is neither
 */
export const awsGrants = (text: string): AwsGrant[] =>
  text.split(',').flatMap((part) => {
    const entry = part.trim()
    if (entry === '') return []
    const [, projectId, arn] = ENTRY.exec(entry) ?? []
    if (arn === undefined) throw new TypeError(`${JSON.stringify(entry)} is neither an ARN nor <project>=<ARN>.`)
    return [{ projectId: projectId ?? null, arn }]
  })
