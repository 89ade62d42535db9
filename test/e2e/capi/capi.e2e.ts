import { afterAll, beforeAll, describe } from 'vitest'
import { capiV1 } from '../../../functions/drivers/cluster/capi/v1/index.ts'
import { settleAll } from '../../../functions/drivers/support/step.ts'
import type { StartedCluster } from '../../../local/clusters/started-cluster.ts'
import type { ClusterSet } from '../../../local/clusters/take-clusters.ts'
import { createLogger } from '../../../local/logger.ts'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { describeClusterDriver } from '../../contract/drivers/cluster-suite.ts'
import { Api } from '../../support/api/api.ts'
import { startTestClusters } from '../support/clusters.ts'
import { describeFirstCluster } from './stories/first-cluster.ts'
import { describeLife } from './stories/life.ts'
import { describeOpenStack } from './stories/openstack.ts'
import { describeOutage } from './stories/outage.ts'
import { describeOwnClass } from './stories/own-class.ts'
import { describeShortLives } from './stories/short-lives.ts'
import { describeStuckUpgrade } from './stories/stuck-upgrade.ts'
import { describeSurvival } from './stories/survival.ts'
import { type Management, openManagement, registerManagement } from './support/management.ts'
import { openRealLab } from './support/real-lab.ts'

/**
 * At the real controllers of Cluster API, with its in-memory infrastructure. One management cluster for all, since there can be one on a machine; so
 * everything that needs it is in this file, and lives side by side.
 */
describe('capi@1 at the real Cluster API', { timeout: 600_000 }, () => {
  let management: Management
  let bare: ClusterSet<StartedCluster>
  let fedplane: Fedplane
  let api: Api

  beforeAll(async () => {
    await settleAll([
      async () => {
        bare = await startTestClusters(1, { controllers: false })
      },
      async () => {
        management = await openManagement()
      },
      async () => {
        fedplane = await startFedplane({ clustersPerProject: 100, log: createLogger({ level: 'error' }) })
      },
    ])
    api = new Api(fedplane.url, { microversion: 'latest' })
    await registerManagement(api, management)
  }, 400_000)
  afterAll(async () => {
    await fedplane?.close()
    await management?.close()
    await bare?.close()
  }, 120_000)

  const [world, bareCluster] = [
    () => ({ api, management }),
    () => {
      const [cluster] = bare.clusters
      if (cluster === undefined) throw new Error('no API server was started')
      return cluster
    },
  ]

  describeLife(world)
  describeShortLives(world)
  describeStuckUpgrade(world)
  describeSurvival(world)
  describeFirstCluster(world)
  describeOwnClass(() => ({ management, bare: bareCluster() }))
  describeOpenStack(() => ({ management, bare: bareCluster() }))
  describe.concurrent('contract', () => {
    describeClusterDriver(capiV1, { isSlow: true, open: () => openRealLab(management.cluster, bareCluster()) })
  })
  // After all others: it stops the management cluster.
  describeOutage(world)
})
