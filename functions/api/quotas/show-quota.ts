import type { Quota } from '../../core/values/quota.ts'
import { timestamp } from '../representation.ts'

/** A quota as Magnum shows it (magnum-rest.md 7.3). */
export const showQuota = (quota: Quota) => ({
  id: quota.number,
  project_id: quota.projectId,
  resource: quota.resource,
  hard_limit: quota.hardLimit,
  created_at: timestamp(quota.createdAt),
  updated_at: timestamp(quota.updatedAt),
})
