import type { Worker } from '../domain/workers.ts'
import type { TablePorts } from '../runtime/ports.ts'

/** Notes at the end of a run that a worker did its work: one that dies in each run is down, as `GET /v1/mservices` then says. */
export const beat = (ports: TablePorts, worker: Worker): Promise<void> => ports.stores.heartbeats.beat(worker)
