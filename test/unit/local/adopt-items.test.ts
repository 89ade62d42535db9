import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clusterKey, federationKey, type ItemKey, membershipKey } from '../../../functions/store/dynamodb/keys.ts'
import { adoptItems } from '../../../local/adopt-items.ts'
import { createTestStores, type TestStores } from '../../support/store/database.ts'
import { sampleCluster, sampleFederation, sampleJoining } from '../../support/store/samples.ts'

describe('adoptItems', () => {
  let stores: TestStores
  let dataDir: string
  beforeEach(async () => {
    stores = await createTestStores()
    dataDir = mkdtempSync(path.join(tmpdir(), 'fedplane-test-'))
  })
  afterEach(async () => {
    rmSync(dataDir, { recursive: true })
    await stores.dispose()
  })

  /** As a release left it that gave no proof. */
  const withoutProof = async (key: ItemKey): Promise<void> => {
    const { client, tableName } = stores.table
    await client.send(new UpdateCommand({ TableName: tableName, Key: key, UpdateExpression: 'REMOVE integrity' }))
  }

  it('gives every item its proof, and once only: what loses it later stays refused', async () => {
    const cluster = sampleCluster()
    const federation = sampleFederation()
    const joining = sampleJoining({ projectId: federation.projectId, federationId: federation.id })
    const { clusters, federations, memberships, integrity, commit } = stores
    await commit([clusters.insert(cluster), federations.insert(federation), memberships.insert(joining)])
    for (const key of [clusterKey(cluster), federationKey(federation), membershipKey(joining)]) await withoutProof(key)
    const proved = async (): Promise<void> => {
      await integrity.requireCluster((await clusters.get(cluster))!)
      await integrity.requireFederation((await federations.get(federation))!)
      await integrity.requireMembership((await memberships.get(joining))!)
    }
    await expect(proved()).rejects.toMatchObject({ name: 'ItemAltered' })

    await adoptItems(stores, dataDir)
    await proved()
    expect(existsSync(path.join(dataDir, 'adopted'))).toBe(true)

    await withoutProof(clusterKey(cluster))
    await adoptItems(stores, dataDir)
    await expect(proved()).rejects.toMatchObject({ name: 'ItemAltered' })
  })
})
