import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { customResourceDefinitions } from '../../../../../kubernetes/resources.ts'
import { listAll } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import { API_SERVICE } from './aggregation.ts'
import { conditionOf } from './conditions.ts'

const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices' }

/** @throws Pending naming the CRDs that the API server does not serve yet */
export const requireEstablished = async (client: KubernetesClient): Promise<void> => {
  const definitions = await listAll(client, customResourceDefinitions)
  const missing = definitions.filter((object) => conditionOf(object, 'Established')?.status !== 'True')
  if (missing.length === 0) return
  throw new Pending(`${missing.length} CRDs to be Established, for example ${missing[0]?.metadata.name}`)
}

/** @throws Pending while Karmada's aggregated API does not answer, with what the aggregation layer says of it */
export const requireAvailable = async (client: KubernetesClient): Promise<void> => {
  const available = conditionOf(await client.get(apiServices, API_SERVICE), 'Available')
  if (available?.status === 'True') return
  const said = available === undefined ? '' : `: ${available.reason}: ${available.message}`
  throw new Pending(`APIService ${API_SERVICE} to be Available${said}`)
}
