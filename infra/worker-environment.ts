import type { DeliveriesEnv, ReconcilerEnv, SelectorsEnv, Settings, WorkerEnv } from '../functions/runtime/env.ts'
import { cloudEnvironment } from './cloud-environment.ts'
import { driverEnvironment } from './driver-environment.ts'
import { eksGrants } from './eks-grants.ts'
import { machineArnPrefix } from './grants.ts'
import type { Installation } from './installation.ts'

/** Settings of functions that work on table and executions only. */
export const reconcilerEnvironment = ({ settings, data }: Installation): Settings<ReconcilerEnv> => ({
  TABLE_NAME: data.table.tableName,
  STATE_MACHINE_ARN_PREFIX: machineArnPrefix(),
  ...driverEnvironment(settings),
})

/** Settings of the function that follows selectors. */
export const selectorsEnvironment = (installation: Installation): Settings<SelectorsEnv> => ({
  ...reconcilerEnvironment(installation),
  KMS_KEY_ARN: installation.data.dataKeyKey.keyArn,
})

/** Settings of the function that posts events to the targets of triggers. */
export const deliveriesEnvironment = (installation: Installation): Settings<DeliveriesEnv> => ({
  ...reconcilerEnvironment(installation),
  KMS_KEY_ARN: installation.data.dataKeyKey.keyArn,
  ALLOWED_NETWORKS: installation.settings.allowedNetworks.join(','),
  TRIGGER_BUSES: installation.settings.triggerBuses.join(','),
})

/** Settings of functions that talk to clusters. */
export const workerEnvironment = (installation: Installation): Settings<WorkerEnv> => ({
  ...reconcilerEnvironment(installation),
  KMS_KEY_ARN: installation.data.dataKeyKey.keyArn,
  ALLOWED_NETWORKS: installation.settings.allowedNetworks.join(','),
  EKS_GRANTS: eksGrants(installation.settings),
  ...cloudEnvironment(installation.settings),
})
