import { describe } from 'vitest'
import { capiV1 } from '../../../functions/drivers/cluster/capi/v1/index.ts'
import { openCapiLab } from '../../support/capi/lab.ts'
import { describeClusterDriver } from './cluster-suite.ts'

/** SIMULATED Cluster API; `test/e2e/capi/` runs the same suite at the real one. */
describe.each(['dev', 'openstack'])('infrastructure %s', (infrastructure) => {
  describeClusterDriver(capiV1, { open: () => openCapiLab({ infrastructure }) })
})
