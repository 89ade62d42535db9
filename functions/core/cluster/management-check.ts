import { ManagementUnfit, ManagementUnreachable } from '../../drivers/contract/errors.ts'
import type { Finding } from '../../drivers/contract/federation-driver.ts'
import { managementAccess } from '../access/management-access.ts'
import type { AccessPorts } from '../access/open-cluster.ts'
import type { Ports } from '../ports.ts'
import { type Condition, withCondition } from '../values/status.ts'
import type { Cluster } from './cluster.ts'
import type { ManagementCluster } from './management.ts'

/** Condition of a management cluster: the driver that makes clusters through it has checked it, and found it good. */
const MANAGEMENT_READY = 'ManagementReady'

const wordsOf = (findings: readonly Finding[]): string[] => findings.map(({ message }) => message)

/** Faults that may pass say nothing of what it lacks. @throws ManagementUnreachable */
const requireNoErrors = ({ name }: ManagementCluster, faults: readonly Finding[]): void => {
  const passing = faults.filter(({ retryable }) => retryable === true)
  if (passing.length === 0) return
  throw new ManagementUnreachable(
    `Cluster ${name} can't be checked as a management cluster at the moment: ${wordsOf(passing).join(' ')}`,
  )
}

/**
 * Has the driver of a role check the cluster that is to have it.
 *
 * @param access how it is reached; closed here
 * @returns what does not keep it from the role, one sentence each
 * @throws ManagementUnfit with every fault that does; ManagementUnreachable while it can't be checked, and errors of reaching the cluster
 */
export const requireManagementFit = async (
  ports: AccessPorts,
  cluster: ManagementCluster,
  access = managementAccess(ports, cluster),
): Promise<string[]> => {
  const driver = ports.drivers.cluster.resolve(cluster.management.driver)
  try {
    const findings = (await driver.checkManagement?.(access)) ?? []
    const of = (severity: Finding['severity']) => findings.filter((finding) => finding.severity === severity)
    const faults = of('error')
    if (faults.length === 0) return wordsOf(of('warning'))
    requireNoErrors(cluster, faults)
    throw new ManagementUnfit(
      `Cluster ${cluster.name} can't be a management cluster of the driver ${driver.id}: ${wordsOf(faults).join(' ')}`,
    )
  } finally {
    access.close()
  }
}

/**
 * The conditions of a cluster after that: reason `Checked`, or `CheckedWithWarnings` with them. `warnings` null: it was not checked, or has
 * no such role.
 */
export const managementReady = (
  { clock }: Pick<Ports, 'clock'>,
  { conditions, revision }: Cluster,
  warnings: readonly string[] | null,
): readonly Condition[] => {
  if (warnings === null) return conditions.filter(({ type }) => type !== MANAGEMENT_READY)
  return withCondition(conditions, {
    type: MANAGEMENT_READY,
    status: 'True',
    reason: warnings.length === 0 ? 'Checked' : 'CheckedWithWarnings',
    message: warnings.length === 0 ? 'Clusters can be made through it.' : warnings.join(' '),
    observedRevision: revision + 1,
    changedAt: clock.now().toISOString(),
  })
}
