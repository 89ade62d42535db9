import type * as z from 'zod'
import type { Cluster } from '../../../../core/cluster/cluster.ts'
import { Secret } from '../../../../core/values/secret.ts'
import type { AwsGrant, AwsGrants } from '../../../contract/aws-access.ts'
import { RegistrationUnreadable } from './errors.ts'
import { partitionOf, Sealed, shownSettings } from './fields.ts'

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

/** What a project wants to use: a role, or, by the process's own credentials, a cluster of its account. */
export type EksUse = { projectId: string; name: string; region: string; roleArn: string | null }

const matches = (pattern: string, text: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'u').test(text)
}

/** ARN of the cluster, in whichever account the process's credentials are: they reach no other. */
const clusterArn = ({ name, region }: EksUse, account: string): string =>
  `arn:${partitionOf(region).partition}:eks:${region}:${account}:cluster/${name}`

const covers = (arn: string, use: EksUse): boolean =>
  use.roleArn === null ? matches(arn, clusterArn(use, arn.split(':')[4] ?? '')) : matches(arn, use.roleArn)

const grantsOf = (grants: readonly AwsGrant[], use: EksUse): AwsGrant[] =>
  grants.filter(({ projectId, arn }) => (projectId === null || projectId === use.projectId) && covers(arn, use))

/** Why a project may not use it, as whole sentences; undefined when it may. */
export const useFault = (grants: AwsGrants, use: EksUse): string | undefined => {
  if (grants === 'everything' || grantsOf(grants, use).length > 0) return
  const [what, arn] =
    use.roleArn === null
      ? [`the EKS cluster ${use.name} in ${use.region} by fedplane's own credentials`, clusterArn(use, '<account>')]
      : [`the IAM role ${use.roleArn}`, use.roleArn]
  return (
    `Project ${use.projectId} may not use ${what}: fedplane's operator lists what projects may use of AWS (settings eksRoles and eksClusters; ` +
    `FEDPLANE_EKS_GRANTS on one machine). Ask for the entry ${use.projectId}=${arn}.`
  )
}

/** True when the list names the project of a role. Else its trust policy alone keeps other projects from it. */
export const isBoundByList = (grants: AwsGrants, use: EksUse): boolean =>
  grants === 'everything' || grantsOf(grants, use).some(({ projectId }) => projectId !== null)

/** Entries kept; beyond that the oldest go. */
const ENTRIES_MAX = 2_000

/** Milliseconds for which a value is kept in any case: one that expired before it came would be made anew by each of a hundred looks. */
const KEPT_MS_MIN = 10_000

type Entry<T> = {
  value: Promise<T> /** Epoch ms from which it is made anew; unknown while it is being made. */
  until: number
}

/** Keeps what can be made again until shortly before it expires; makes each once, however many ask at the same time. */
export class ExpiringCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  /** @param until of a value: epoch ms from which it is not given any more. A failure is not remembered. */
  get(key: string, make: () => Promise<T>, until: (value: T) => number): Promise<T> {
    const found = this.#entries.get(key)
    if (found !== undefined && found.until > this.#now().getTime()) return found.value
    const entry: Entry<T> = { value: make(), until: Number.POSITIVE_INFINITY }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    const forget = (): void => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
    entry.value.then((value) => {
      entry.until = Math.max(until(value), this.#now().getTime() + KEPT_MS_MIN)
    }, forget)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= ENTRIES_MAX) break
      this.#entries.delete(oldest)
    }
    return entry.value
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }
}
