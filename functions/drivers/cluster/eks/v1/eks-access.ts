import { createHash } from 'node:crypto'
import type { Cluster, ClusterEndpoint } from '../../../../core/cluster/cluster.ts'
import type { Secret } from '../../../../core/values/secret.ts'
import type { AwsAccess, AwsCredentials, AwsGrants } from '../../../contract/aws-access.ts'
import type { AwsSite } from './aws/call.ts'
import { assumeRole, type DescribedCluster, type DesiredRole, describeCluster } from './aws/requests.ts'
import { eksToken, TOKEN_LIFE_MS } from './aws/signer.ts'
import {
  AwsAccessDenied,
  AwsCredentialsRejected,
  AwsRoleOpenToAll,
  AwsUseNotGranted,
  EksClusterNotActive,
} from './errors.ts'
import { type EksSettings, type EksUse, ExpiringCache, isBoundByList, settingsOf, useFault } from './settings.ts'

const PREFIX = 'fedplane-'

/** What STS takes as it is; a hash begins with `sha256-`, which no other project's name may. */
const PLAIN = /^(?!sha256-)[\w+=,.@-]{1,55}$/

/**
 * Session name of a project's assumed roles: a role's trust policy can name it (`sts:RoleSessionName`), so that no other project of the same
 * installation can use the role. Therefore two projects never have the same. At most 64 characters.
 */
export const sessionNameOf = (projectId: string): string => {
  if (PLAIN.test(projectId)) return PREFIX + projectId
  return `${PREFIX}sha256-${createHash('sha256').update(projectId).digest('hex').slice(0, 48)}`
}

/** A session name that no project has, in the form of a hash: a role that lets it in lets every project in. */
const NOBODYS_SESSION = `${PREFIX}sha256-${'0'.repeat(48)}`

/** What is given out is good for so long at least, milliseconds: longer than any function runs (`infra/limits.ts`). */
const LEFT_MS = 3 * 60_000

/** Statuses in which the API server answers. */
const SERVING = ['ACTIVE', 'UPDATING']

type Token = { token: Secret; expiresAt: number }

/** Whose cluster, which one, by whose role. */
type Subject = { settings: EksSettings; role: DesiredRole | null; use: EksUse }

const subjectOf = (cluster: Cluster, credential: Secret | undefined): Subject => {
  const settings = settingsOf(cluster, credential)
  const { name, roleArn, externalId, region } = settings
  const sessionName = sessionNameOf(cluster.projectId)
  return {
    settings,
    role: roleArn === null ? null : { roleArn, externalId, sessionName, region },
    use: { projectId: cluster.projectId, name, region, roleArn },
  }
}

/** Never the external ID itself: a key may be seen in a heap dump, or in a debugger. */
const keyOf = ({ settings, role }: Subject, ...more: string[]): string => {
  const { roleArn, externalId, sessionName } = role ?? {}
  const parts = [settings.region, roleArn ?? null, sessionName ?? null, externalId?.reveal() ?? null, ...more]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

const assertGranted = (grants: AwsGrants, use: EksUse): void => {
  const fault = useFault(grants, use)
  if (fault !== undefined) throw new AwsUseNotGranted(fault)
}

/** The way to EKS clusters: roles, descriptions and tokens, kept until shortly before they expire. One for each process. */
export class EksAccess {
  readonly #aws: AwsAccess
  readonly #site: AwsSite
  readonly #roles: ExpiringCache<AwsCredentials>
  readonly #tokens: ExpiringCache<Token>

  constructor(aws: AwsAccess, now: () => Date) {
    this.#aws = aws
    this.#site = { endpoint: (service) => aws.endpoint(service), now }
    this.#roles = new ExpiringCache(now)
    this.#tokens = new ExpiringCache(now)
  }

  /**
   * Where the API server is.
   *
   * @throws EksClusterNotActive with `details.status`, what `describeCluster` and `assumeRole` do, AwsCredentialsMissing,
   * RegistrationUnreadable, AwsUseNotGranted, AwsRoleOpenToAll
   */
  async endpoint(cluster: Cluster, credential: Secret | undefined): Promise<ClusterEndpoint> {
    const subject = subjectOf(cluster, credential)
    await this.#assertOthersKeptOut(subject)
    const { status, at } = await this.#describe(subject)
    if (at !== null && SERVING.includes(status)) {
      return { ...at, serverForPeers: cluster.endpoint?.serverForPeers ?? null, tlsServerName: null, tlsVerify: true }
    }
    const { name, region } = subject.settings
    throw new EksClusterNotActive(
      `The EKS cluster ${name} in ${region} is ${status}: it has no API server to talk to. It must be ACTIVE.`,
      { details: { status } },
    )
  }

  async #describe(subject: Subject): Promise<DescribedCluster> {
    const ask = async () => describeCluster(this.#site, subject.settings, await this.#credentialsOf(subject))
    try {
      return await ask()
    } catch (error) {
      // A session can be ended before its time. Those of the process are the provider's to renew.
      if (!(error instanceof AwsCredentialsRejected) || subject.role === null) throw error
      this.#roles.forget(keyOf(subject))
      return ask()
    }
  }

  /**
   * Where the list does not say whose a role is, its trust policy must. AWS asks this of whoever assumes roles for others: try it as nobody, and
   * take no role that lets nobody in, or each project could register the clusters of the others (confused deputy, decision 0013).
   */
  async #assertOthersKeptOut({ role, use }: Subject): Promise<void> {
    if (role === null || isBoundByList(this.#aws.grants, use)) return
    assertGranted(this.#aws.grants, use)
    const asNobody = { ...role, externalId: null, sessionName: NOBODYS_SESSION }
    try {
      await assumeRole(this.#site, asNobody, await this.#aws.credentials())
    } catch (error) {
      if (error instanceof AwsAccessDenied) return
      throw error
    }
    throw new AwsRoleOpenToAll(
      `The trust policy of ${role.roleArn} lets every project of this installation in. Have it demand "sts:RoleSessionName": ` +
        `"${role.sessionName}", or an "sts:ExternalId" that only you know, then register the cluster again.`,
    )
  }

  /** A token that the cluster takes for 3 minutes at least. @throws AwsCredentialsMissing, AwsUseNotGranted, and what `assumeRole` does */
  async token(cluster: Cluster, credential: Secret | undefined): Promise<Secret> {
    const subject = subjectOf(cluster, credential)
    const { token } = await this.#tokens.get(
      keyOf(subject, subject.settings.name),
      () => this.#newToken(subject),
      ({ expiresAt }) => expiresAt - LEFT_MS,
    )
    return token
  }

  async #newToken(subject: Subject): Promise<Token> {
    const credentials = await this.#credentialsOf(subject)
    const signedAt = this.#site.now()
    const token = await eksToken(credentials, subject.settings, signedAt)
    const ends = credentials.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
    // EKS asks STS with it, which takes it only while the credentials live that signed it.
    return { token, expiresAt: Math.min(signedAt.getTime() + TOKEN_LIFE_MS, ends) }
  }

  async #credentialsOf(subject: Subject): Promise<AwsCredentials> {
    const { role, use } = subject
    assertGranted(this.#aws.grants, use)
    if (role === null) return this.#aws.credentials()
    return this.#roles.get(
      keyOf(subject),
      async () => assumeRole(this.#site, role, await this.#aws.credentials()),
      ({ expiresAt }) => (expiresAt?.getTime() ?? 0) - TOKEN_LIFE_MS,
    )
  }
}
