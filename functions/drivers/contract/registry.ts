import type { DriverId } from '../../domain/driver-id.ts'
import type { ClusterDriver } from './cluster-driver.ts'
import type { ClusterDriverDescription } from './cluster-driver-description.ts'
import type { FederationDriver } from './federation-driver.ts'
import type { FederationDriverDescription } from './federation-driver-description.ts'

/** The enabled drivers of one kind. */
export interface DriverSet<D extends { id: DriverId }> {
  /** @throws DriverNotFound naming the enabled ones */
  resolve(id: string): D
  list(): readonly D[]
}

/** The enabled drivers of both kinds. */
export type DriverSets<F extends { id: DriverId }, C extends { id: DriverId }> = {
  federation: DriverSet<F> & { default: DriverId }
  cluster: DriverSet<C>
}

/** What the enabled drivers say. `Drivers` may stand for it. */
export type DriverDescriptions = DriverSets<FederationDriverDescription, ClusterDriverDescription>

/** The enabled drivers, with what they do. */
export type Drivers = DriverSets<FederationDriver, ClusterDriver>
