import { existsSync } from 'node:fs'
import path from 'node:path'
import { retryOnConflict } from '../functions/core/operation/retry-on-conflict.ts'
import type { Stores } from '../functions/store/stores.ts'
import { makePrivate } from './dynamodb/private-file.ts'

type Key = { projectId: string; id: string }

const adoptCluster = (stores: Stores, key: Key): Promise<void> =>
  retryOnConflict(async () => {
    const cluster = await stores.clusters.get(key)
    if (cluster !== undefined) await stores.commit([stores.integrity.adoptCluster(cluster)])
  })

const adoptFederation = (stores: Stores, key: Key): Promise<void> =>
  retryOnConflict(async () => {
    const federation = await stores.federations.get(key)
    if (federation === undefined) return
    await stores.commit([stores.integrity.adoptFederation(federation)])
    for (const membership of await stores.memberships.listOf(key)) {
      await stores.commit([stores.integrity.adoptMembership(membership)])
    }
  })

/**
 * Gives a proof to everything in a data folder of a release that gave none (decision 0030): key and table have the same owner here, who is whoever starts the
 * server. Can run twice, and begins again when it was killed; an empty file `adopted` says that it came to its end, so that later starts read nothing.
 */
export const adoptItems = async (stores: Stores, dataDir: string): Promise<void> => {
  const over = path.join(dataDir, 'adopted')
  if (existsSync(over)) return
  for await (const key of stores.work.clusters()) await adoptCluster(stores, key)
  for await (const key of stores.work.federations()) await adoptFederation(stores, key)
  makePrivate(over)
}
