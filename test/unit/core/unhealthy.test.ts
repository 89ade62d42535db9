import { describe, expect, it } from 'vitest'
import { describeUnhealthy } from '../../../functions/core/cluster/observed-health.ts'

describe('describeUnhealthy', () => {
  it.each([
    [
      { api: 'GET /readyz of edge:6443 failed: no connection; check address, port and firewall.' },
      'The cluster is unhealthy: GET /readyz of edge:6443 failed: no connection; check address, port and firewall.',
    ],
    [
      { api: 'GET /readyz answers 500: etcd failed', 'n1.Ready': 'False', 'n2.Ready': 'True' },
      'The cluster is unhealthy: GET /readyz answers 500: etcd failed; node n1 is not ready.',
    ],
    [{ api: 'ok', 'a.b.Ready': 'False' }, 'The cluster is unhealthy: node a.b is not ready.'],
    [{ api: 'ok', disk: 'full.' }, 'The cluster is unhealthy: disk: full.'],
    [{}, 'The cluster is unhealthy.'],
  ])('makes one sentence of %j', (reasons, sentence) => {
    expect(describeUnhealthy(reasons)).toBe(sentence)
  })
})
