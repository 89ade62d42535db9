import type { ClusterDriver } from '../../../contract/cluster-driver.ts'
import { capiV1Description } from './description.ts'
import { checkManagement } from './management/check-management.ts'
import { updatePhases } from './phases/changes.ts'
import { createPhases } from './phases/create.ts'
import { deletePhases } from './phases/delete.ts'
import { preview } from './phases/preview.ts'
import { connectionOf } from './status/access.ts'
import { observe } from './status/observe.ts'

/** Clusters made through Cluster API: one topology `Cluster` for each, in a registered management cluster. */
export const capiV1: ClusterDriver = {
  ...capiV1Description,
  phases: { create: createPhases, update: updatePhases, delete: deletePhases },
  connection: (cluster, _credential, authority) => connectionOf(cluster, authority, new Date()),
  observe,
  preview,
  checkManagement,
}
