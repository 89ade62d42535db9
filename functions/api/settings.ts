import type { Principal } from '../core/values/identity.ts'
import type { ProjectLimits } from '../core/values/quota.ts'
import type { Policy } from '../policy/policy.ts'

export type Rates = { perProject: number; perPrincipal: number }

/** How this installation is reached, and who may do what. */
export type ApiSettings = {
  /** Scheme, host and mount path as clients see them, without `/v1` and without a trailing slash needed. */
  baseUrl: string
  /** True only behind a proxy that sets `X-Forwarded-*` itself: they then replace `baseUrl` in links. */
  trustForwarded: boolean
  /** Who may do what. */
  policy: Policy
  /** The OpenAPI document of the whole API, as JSON, with `baseUrl` as its server. */
  openApi(baseUrl: string): string
  /** Clusters of a project that has no quota of its own. Magnum's default: 20. */
  clustersPerProject: number
  /** What else a project may have. Default: `PROJECT_LIMITS`. */
  projectLimits?: ProjectLimits
  /** Requests a second that a project, and one caller, may send in the long run; ten times as many at once. 0: any number. Default: no limit. */
  rates?: Rates
  /** Who a caller is whom IAM of AWS has authorised, by their ARN. Default: nobody. */
  awsCallers?: (userArn: string) => Principal | undefined
  /** Where events are streamed, with its path, when this function can't. Default: here. */
  eventStreamUrl?: string
  /** Named in `WWW-Authenticate` of a 401. Default: `baseUrl`. */
  authUrl?: string
}
