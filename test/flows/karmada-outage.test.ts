import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiApp, apiApp } from '../../functions/api/app.ts'
import { externalV1 } from '../../functions/drivers/cluster/external/v1/index.ts'
import { karmadaDriver } from '../../functions/drivers/federation/karmada/v1/index.ts'
import type { Connect, KubernetesClient } from '../../functions/kubernetes/client.ts'
import { ConnectTimedOut, RequestTimedOut } from '../../functions/kubernetes/errors.ts'
import { API_SETTINGS, callApp } from '../support/api/lab.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { key } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { latestOf } from '../support/flows/look.ts'
import { standInAsset } from '../support/karmada/crds.ts'
import { type KarmadaLab, openKarmadaLab, ownProperties } from '../support/karmada/lab.ts'
import { QUICK } from '../support/karmada/options.ts'
import { until as untilWithin } from '../support/local/engine-lab.ts'

/** A host that goes away for good, with the control plane in it, and what a forced delete makes of that. */

const TIMEOUT_MS = 60_000
const until = <T>(probe: () => Promise<T | false>): Promise<T> => untilWithin(probe, TIMEOUT_MS)

/** How a host is away: a call fails after so many seconds. */
type Outage = { fault: () => Error; seconds: number }
const SILENT: Outage = { fault: () => new ConnectTimedOut('The host did not answer within 3 s.'), seconds: 3 }
const HANGING: Outage = { fault: () => new RequestTimedOut('The host did not answer within 15 s.'), seconds: 15 }

let clusters: KarmadaLab
let lab: FlowLab
let app: ApiApp
let outage: Outage | undefined
/** Seconds that calls to the host have taken since it is away, were they in turn. */
let seconds = 0
const ids = new Map<string, string>()

const away: KubernetesClient = new Proxy({} as KubernetesClient, {
  get: (_, name) =>
    name === 'close'
      ? () => undefined
      : async () => {
          seconds += outage?.seconds ?? 0
          throw outage?.fault()
        },
})

/** Members are on other addresses than the host and what runs in it. */
const isMember = (server: string): boolean => clusters.memberServers.some((it) => it.server === server)

const call = async (method: string, target: string, body?: unknown) => {
  const answer = await callApp(app, method, target, body === undefined ? {} : { body })
  if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.text}`)
  return answer.body
}

const settled = (kind: 'clusters' | 'federations', id: string): Promise<string> =>
  until(async () => {
    const found = await lab.ports.stores[kind].get(key(id))
    return found === undefined ? 'gone' : !found.status.endsWith('_IN_PROGRESS') && found.status
  })

beforeAll(async () => {
  clusters = await openKarmadaLab()
  const orAway: Connect = (connection) =>
    outage !== undefined && !isMember(connection.server) ? away : connect(connection)
  lab = await openFlowLab({
    federationDriver: karmadaDriver(QUICK),
    clusterDriver: externalV1,
    connect: orAway,
    asset: standInAsset,
    pollMs: 300,
  })
  app = apiApp(lab.ports, API_SETTINGS)
  for (const [index, server] of [clusters.hostServer, ...clusters.memberServers].entries()) {
    const name = ['host', 'paris', 'tokyo'][index] ?? ''
    const { uuid } = await call('POST', '/v1/clusters', { name, kubeconfig: server.kubeconfig })
    expect(await settled('clusters', uuid)).toBe('CREATE_COMPLETE')
    ids.set(name, uuid)
  }
}, TIMEOUT_MS)
afterAll(async () => {
  outage = undefined
  await lab.dispose()
  await clusters.close()
})

describe('DELETE ?force=true while the host is away', { timeout: TIMEOUT_MS }, () => {
  it.each<[string, Outage, number]>([
    ['does not answer', SILENT, 30],
    ['takes connections and never answers', HANGING, 90],
  ])(
    'ends after one wait for a host that %s, cleans the members, and lists what is left in the host',
    async (_, how, most) => {
      const properties = ownProperties()
      const { uuid: id } = await call('POST', '/v1/federations', {
        hostcluster_id: ids.get('host'),
        member_ids: [ids.get('paris')],
        properties,
      })
      expect(await settled('federations', id)).toBe('CREATE_COMPLETE')
      outage = how
      seconds = 0
      await call('DELETE', `/v1/federations/${id}?force=true`)
      expect(await settled('federations', id)).toBe('gone')
      const waits =
        lab.stepsOf(await latestOf(lab, 'federation-delete', id)).filter((it) => it === 'RunPhase').length - 1
      outage = undefined
      expect(seconds).toBeLessThanOrEqual(most)
      expect(waits).toBeLessThanOrEqual(20)
      const { events } = await call('GET', `/v1/federations/${id}/events`)
      const said = events.at(-1).message as string
      expect(said).toMatch(
        /controllers and webhook removed failed \((ConnectTimedOut|RequestTimedOut): Host \S+ \([0-9a-f-]{36}\): The host did not answer/,
      )
      expect(said).toContain('nothing more was tried in the host: API servers removed, etcd removed')
      expect(said).toContain(`StatefulSet ${properties.namespace}/etcd in the host`)
      const remains = await clusters.remains(id)
      expect(remains.filter((it) => !it.endsWith(' in host'))).toEqual([])
      expect(remains).toContain(`StatefulSet ${properties.namespace}/etcd in host`)
    },
  )
})
