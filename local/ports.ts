import path from 'node:path'
import type { Cloud } from '../functions/cloud/cloud.ts'
import { newUuidV7 } from '../functions/core/ids.ts'
import type { Clock, Executions, Logger, Ports } from '../functions/core/ports.ts'
import type { AwsGrants } from '../functions/drivers/contract/aws-access.ts'
import type { RegistryOptions } from '../functions/drivers/enabled.ts'
import { driverRegistry } from '../functions/drivers/registry.ts'
import { localPolicy } from '../functions/kubernetes/address-guard.ts'
import { connectWith } from '../functions/kubernetes/connect.ts'
import { assetsIn } from '../functions/runtime/asset-folder.ts'
import { awsAccess } from '../functions/runtime/aws-access.ts'
import { dynamoStores } from '../functions/store/dynamodb/stores.ts'
import { type Database, TABLE } from './database.ts'
import { keyFileService } from './keys/key-file.ts'

export const systemClock: Clock = { now: () => new Date() }

export type PortsOptions = {
  database: Database
  /** Holds the key file. */
  dataDir: string
  /** Files that drivers need (`npm run assets`). */
  assetsFolder: string
  drivers: RegistryOptions
  executions: Executions
  /** Default: none, and no cluster that needs application credentials. */
  cloud?: Cloud | undefined
  /** What projects may use of the operator's AWS credentials. */
  eksGrants: AwsGrants
  log: Logger
}

/**
 * What handlers and steps use, from this machine.
 *
 * @throws KeyFileUnusable, DriverNotFound
 */
export const localPorts = async ({
  database,
  dataDir,
  assetsFolder,
  drivers,
  executions,
  cloud,
  eksGrants,
  log,
}: PortsOptions): Promise<Ports> => {
  const keys = await keyFileService(path.join(dataDir, 'key'))
  return {
    stores: dynamoStores({ documentClient: database.client, tableName: TABLE, keys, clock: systemClock }),
    executions,
    drivers: driverRegistry({ aws: awsAccess(eksGrants) }, drivers),
    connect: connectWith({ policy: localPolicy }),
    ...(cloud === undefined ? {} : { cloud }),
    addressPolicy: localPolicy,
    asset: assetsIn(assetsFolder, 'Run npm run assets.'),
    clock: systemClock,
    newId: () => newUuidV7(systemClock),
    log,
  }
}
