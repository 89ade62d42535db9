import { shortId } from '../../core/values/ids.ts'
import type { ApiResponse } from '../route.ts'
import type { Told } from './run-checks.ts'

/** Stands for the id, whole or short, of a federation that does not exist yet: the real create gives another one each time. */
const PLACEHOLDER = '<federation>'

/** The same without the id that was made up for the look. */
export const withoutId = ({ findings, wouldMake }: Told, federationId: string): Told => {
  const hide = (text: string): string =>
    text.replaceAll(federationId, PLACEHOLDER).replaceAll(shortId(federationId), PLACEHOLDER)
  return {
    findings: findings.map((finding) => ({ ...finding, message: hide(finding.message) })),
    wouldMake: wouldMake.map(hide),
  }
}

/**
 * The answer to `?dry_run=true`, the verdict first. An error among the findings would fail the request, or the joins and unjoins that it
 * begins.
 *
 * @param wouldRemove absent where nothing can be removed
 */
export const dryRunAnswer = ({ findings, wouldMake }: Told, wouldRemove?: readonly string[]): ApiResponse => ({
  status: 200,
  body: {
    would_succeed: !findings.some(({ severity }) => severity === 'error'),
    findings: findings.map(({ severity, reason, message, clusterId }) => ({
      severity,
      reason,
      message,
      cluster_id: clusterId,
    })),
    would_make: wouldMake,
    ...(wouldRemove === undefined ? {} : { would_remove: wouldRemove }),
  },
})
