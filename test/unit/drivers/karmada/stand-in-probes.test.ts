import { describe, expect, it } from 'vitest'
import { Cluster } from '../../../../simulated-kubernetes/cluster.ts'
import type { ApiObject } from '../../../../simulated-kubernetes/types.ts'
import { programOf } from '../../../support/karmada/mounted-files.ts'
import { requireProbes } from '../../../support/karmada/probes.ts'

const host = new Cluster('', () => new Date())

type Probe = { path: string; port: number; scheme: string }

const webhook = (ready: Probe, alive: Probe): ApiObject =>
  ({
    kind: 'Deployment',
    metadata: { name: 'karmada-webhook', namespace: 'europe' },
    spec: {
      template: {
        spec: {
          containers: [
            {
              command: ['/bin/karmada-webhook', '--secure-port=8443', '--health-probe-bind-address=:8000'],
              readinessProbe: { httpGet: ready },
              livenessProbe: { httpGet: alive },
            },
          ],
        },
      },
    },
  }) as unknown as ApiObject

const probe = (path: string, port: number, scheme = 'HTTPS'): Probe => ({ path, port, scheme })
const GOOD = probe('/readyz/', 8443)

const look = (object: ApiObject) => () => requireProbes(object, programOf(host, object))

describe('the probes that the stand-in of a program answers', () => {
  it('are those of the real one', () => {
    expect(look(webhook(GOOD, GOOD))).not.toThrow()
  })

  it.each<[string, Probe, Probe, RegExp]>([
    ['a health address without checks', GOOD, probe('/healthz', 8000, 'HTTP'), /^Liveness probe failed: .*refused$/],
    ['a path that it does not know', GOOD, probe('/healthz', 8443), /^Liveness probe failed: .*404$/],
    ['a readiness path that it does not know', probe('/livez', 8443), GOOD, /^Readiness probe failed: .*404$/],
  ])('are not %s', (_, ready, alive, said) => {
    expect(look(webhook(ready, alive))).toThrow(said)
  })
})
