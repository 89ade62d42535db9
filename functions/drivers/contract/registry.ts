import type { DriverId } from '../../domain/driver-id.ts'
import type { ClusterDriver } from './cluster-driver.ts'
import type { FederationDriver } from './federation-driver.ts'

/** The enabled drivers of one kind. */
export interface DriverSet<D extends { id: DriverId }> {
  /** @throws DriverNotFound naming the enabled ones */
  resolve(id: string): D
  list(): readonly D[]
}

export type Drivers = {
  federation: DriverSet<FederationDriver> & { default: DriverId }
  cluster: DriverSet<ClusterDriver>
}
