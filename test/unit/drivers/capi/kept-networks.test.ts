import { describe, expect, it } from 'vitest'
import { clusterObject } from '../../../../functions/drivers/cluster/capi/v1/render/cluster-object.ts'
import { keptNetworks } from '../../../../functions/drivers/cluster/capi/v1/status/observe.ts'
import { samplePlan } from '../../../support/capi/samples.ts'

const TAG = { kube_tag: 'v1.35.2' }
const made = (labels: Record<string, string> = {}) =>
  clusterObject(samplePlan('dev', { templateLabels: { ...TAG, ...labels } }))

describe('keptNetworks', () => {
  it('says nothing while labels and cluster agree, and of a cluster that is not there', () => {
    expect(keptNetworks(made(), TAG)).toStrictEqual([])
    const labels = { ...TAG, service_cluster_ip_range: '10.1.0.0/16', calico_ipv4pool: '10.2.0.0/16' }
    expect(keptNetworks(made(labels), labels)).toStrictEqual([])
    expect(keptNetworks(undefined, labels)).toStrictEqual([])
  })

  it('tells what an upgrade has not changed', () =>
    expect(
      keptNetworks(made(), { ...TAG, service_cluster_ip_range: '10.1.0.0/16', cilium_ipv4pool: '10.2.0.0/16' }),
    ).toStrictEqual([
      'The network of Services is 10.254.0.0/16, as the cluster was made, and not 10.1.0.0/16, which its labels come to.',
      'The network of pods is 10.100.0.0/16, as the cluster was made, and not 10.2.0.0/16, which its labels come to.',
    ]))
})
