import { type ApiApp, apiApp } from '../../../functions/api/app.ts'
import { keystoneCloud } from '../../../functions/cloud/keystone/keystone-cloud.ts'
import type { Ports } from '../../../functions/core/ports.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { MemoryClusters } from '../../../functions/drivers/cluster/memory/v1/observe.ts'
import type { CloudCredential } from '../../../functions/drivers/contract/cluster-driver.ts'
import { type Answer, API_SETTINGS, callApp } from '../api/lab.ts'
import { KeystoneStandIn, type StandInToken } from '../authorizer/keystone-stand-in.ts'
import { rested } from '../flows/cluster-tasks.ts'
import { type FlowLab, openFlowLab } from '../flows/flow-lab.ts'
import { headersOf } from '../terraform/provider.ts'
import { cloudClusterDriver } from './cloud-driver.ts'

/** Somebody with a token of Keystone, by his name: `token-of-<name>`. */
const keystoneUser = (userId: string, projectId = 'blue'): Principal => ({
  userId,
  projectId,
  roles: ['member', 'reader'],
  source: 'keystone',
})

export type CloudLab = {
  lab: FlowLab
  keystone: KeystoneStandIn
  /** What the driver was given last, by cluster. */
  secrets: Map<string, CloudCredential>
  /** The API over other ports. */
  appOver(ports: Partial<Ports>): ApiApp
  /** The API without a Keystone. */
  appWithoutCloud(): ApiApp
  /** Calls the API as a user of Keystone with his token. `microversion`: null sends none; default: the latest. */
  call(
    method: string,
    target: string,
    options: { by: string; body?: unknown; app?: ApiApp; microversion?: string | null },
  ): Promise<Answer>
  /** The same as somebody else, without a token of Keystone. */
  callAs(as: Principal, method: string, target: string, body?: unknown): Promise<Answer>
  /** Puts `token-of-<user>` for project blue into Keystone, with other facts than those of a member who gave his password. */
  put(userId: string, fields?: Partial<StandInToken>): void
  /** A cluster that is up, made by a user. Its id. */
  made(by: string): Promise<string>
  /** Name in Keystone of the application credential that the driver has for a cluster; undefined when it is gone there. */
  inUse(clusterId: string): string | undefined
  /** Names of a user's application credentials in Keystone. */
  namesOf(userId: string): string[]
  /** Before each test: users ana and ben are members of project blue, and nobody has any credential. */
  reset(): void
  dispose(): Promise<void>
}

/** The API and the flows in one process, with memory@1 that needs a cloud, and a Keystone stand-in. */
export const openCloudLab = async (): Promise<CloudLab> => {
  const keystone = new KeystoneStandIn()
  await keystone.start()
  const secrets = new Map<string, CloudCredential>()
  const isGood = ({ applicationCredentialId: id, applicationCredentialSecret: secret }: CloudCredential): boolean =>
    keystone.credentials.all.get(id)?.secret === secret
  const clusters = new MemoryClusters()
  const lab = await openFlowLab({
    clusterDriver: cloudClusterDriver(clusters, { secrets, isGood }),
    cloud: keystoneCloud({ base: keystone.url, region: 'north', caPem: null, roles: ['member'] }),
  })
  const appOver = (ports: Partial<Ports>): ApiApp => apiApp({ ...lab.ports, ...ports }, API_SETTINGS)
  const app = appOver({})
  const call: CloudLab['call'] = (method, target, { by, body, app: other = app, microversion = 'latest' }) =>
    callApp(other, method, target, {
      as: keystoneUser(by),
      headers: { 'X-Auth-Token': `token-of-${by}`, ...headersOf(microversion ?? undefined) },
      ...(body === undefined ? {} : { body }),
    })
  const put = (userId: string, fields: Partial<StandInToken> = {}): void => {
    const expiresAt = new Date('2030-01-01T00:00:00Z')
    keystone.tokens.set(`token-of-${userId}`, { userId, projectId: 'blue', expiresAt, ...fields })
  }
  return {
    lab: Object.assign(lab, { clusters }),
    keystone,
    secrets,
    appOver,
    appWithoutCloud: () => {
      const { cloud: _, ...ports } = lab.ports
      return apiApp(ports, API_SETTINGS)
    },
    call,
    callAs: (as, method, target, body) => callApp(app, method, target, { as, ...(body === undefined ? {} : { body }) }),
    put,
    made: async (by) => {
      const answer = await call('POST', '/v1/clusters', { by, body: { driver: 'memory@1' } })
      if (answer.status !== 202) throw new Error(`the cluster was refused: ${answer.text}`)
      await rested(lab, answer.body.uuid)
      return answer.body.uuid
    },
    inUse: (id) => keystone.credentials.all.get(secrets.get(id)?.applicationCredentialId ?? '')?.name,
    namesOf: (userId) => keystone.credentials.namesOf(userId),
    reset: () => {
      lab.reset()
      clusters.before = undefined
      clusters.after = undefined
      clusters.calls.length = 0
      keystone.tokens.clear()
      keystone.credentials.all.clear()
      keystone.credentials.limit = Number.POSITIVE_INFINITY
      keystone.credentialCalls.length = 0
      keystone.credentialTrouble = undefined
      put('ana')
      put('ben')
    },
    dispose: async () => {
      await lab.dispose()
      await keystone.close()
    },
  }
}
