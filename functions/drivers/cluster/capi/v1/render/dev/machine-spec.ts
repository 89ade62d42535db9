import type { JsonObject } from '../../../../../../core/values/json.ts'
import type { GroupWish } from '../wish.ts'

/** `spec` of DevMachines: how long each of a machine's parts pretends to start. A control plane has an API server and etcd, too. */
export const devMachineSpec = ({ own, isMaster }: GroupWish): JsonObject => {
  const start = { provisioning: { startupDuration: `${own.dev_startup_seconds}s` } }
  const parts = isMaster ? ['vm', 'node', 'apiServer', 'etcd'] : ['vm', 'node']
  return { backend: { inMemory: Object.fromEntries(parts.map((part) => [part, start])) } }
}
