import type { TablePorts } from '../core/ports.ts'
import type { Worker } from '../core/values/workers.ts'

/** Notes at the end of a run that a worker did its work: one that dies in each run is down, as `GET /v1/mservices` then says. */
export const beat = (ports: Pick<TablePorts, 'stores'>, worker: Worker): Promise<void> =>
  ports.stores.heartbeats.beat(worker)
