import { describe, expect, it } from 'vitest'
import { driverDescriptions } from '../../../functions/drivers/descriptions.ts'
import { enabledDrivers } from '../../../functions/runtime/aws-table-ports.ts'

const offered = (FEDERATION_DRIVERS: string, CLUSTER_DRIVERS: string) => {
  const { federation, cluster } = driverDescriptions(enabledDrivers({ FEDERATION_DRIVERS, CLUSTER_DRIVERS }))
  return {
    default: federation.default,
    federation: federation.list().map(({ id }) => id),
    cluster: cluster.list().map(({ id }) => id),
  }
}

describe('enabledDrivers', () => {
  it('are those of the setting, the first federation driver the default', () => {
    expect(offered('clusterprofile@1, karmada@1', 'external@1')).toEqual({
      default: 'clusterprofile@1',
      federation: ['clusterprofile@1', 'karmada@1'],
      cluster: ['external@1'],
    })
  })

  it('are the usual ones without a setting', () => {
    const usual = offered('', '')
    expect(usual.default).toBe('karmada@1')
    expect([...usual.federation, ...usual.cluster]).not.toContain('memory@1')
    expect(usual.cluster.length).toBeGreaterThan(1)
  })
})
