import type { DriverId } from '../../core/values/ids.ts'
import type { ClusterDriver } from './cluster-driver.ts'
import type { ClusterDriverDescription } from './cluster-driver-description.ts'
import type { FederationDriver } from './federation-driver.ts'
import type { FederationDriverDescription } from './federation-driver-description.ts'

/** The drivers of one kind. An operator may disable some: what they made stays manageable, and nothing new is made with them. */
export interface DriverSet<D extends { id: DriverId }> {
  /** The driver of an entity that is there. @throws DriverNotFound naming those of this build */
  resolve(id: string): D
  /** The driver for a new entity. @throws DriverNotFound naming the enabled ones */
  choose(id: string): D
  /** The enabled ones. */
  list(): readonly D[]
}

/** The drivers of both kinds. */
export type DriverSets<F extends { id: DriverId }, C extends { id: DriverId }> = {
  federation: DriverSet<F> & { default: DriverId }
  cluster: DriverSet<C>
}

/** What the drivers say. `Drivers` may stand for it. */
export type DriverDescriptions = DriverSets<FederationDriverDescription, ClusterDriverDescription>

/** The drivers, with what they do. */
export type Drivers = DriverSets<FederationDriver, ClusterDriver>
