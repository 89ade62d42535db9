import { describe, expect, it } from 'vitest'
import { capiV1Description } from '../../../../functions/drivers/cluster/capi/v1/description.ts'
import { simulatedIdentityState } from '../../../../functions/drivers/cluster/capi/v1/model/state.schema.ts'
import { clusterEntity } from '../../../support/drivers/test-cluster.ts'

describe('clusters of capi@1 in federations', () => {
  const faultOf = (uid: string, clusterUid: string) =>
    capiV1Description.federationFault(
      clusterEntity({ name: 'rome', driverState: simulatedIdentityState(uid, clusterUid) }),
    )

  it('are refused when their API servers are simulated, with the true reason', () => {
    expect(faultOf('one', 'one')).toMatch(/^Cluster "rome" .* infrastructure dev, whose API servers are simulated/)
  })

  it('are taken when they have an identity of their own', () => {
    expect(faultOf('of-kube-system', 'one')).toBeUndefined()
  })
})
