import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { customResourceDefinitions } from '../../../../../kubernetes/resources.ts'
import { listAll } from '../../../../support/owned.ts'
import { NotYet } from '../../../../support/step.ts'
import { API_SERVICE } from './aggregation.ts'
import { conditionOf } from './conditions.ts'

const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices' }

/** @throws NotYet naming the CRDs that the API server does not serve yet */
export const demandEstablished = async (client: KubernetesClient): Promise<void> => {
  const definitions = await listAll(client, customResourceDefinitions)
  const missing = definitions.filter((object) => conditionOf(object, 'Established')?.status !== 'True')
  if (missing.length === 0) return
  throw new NotYet(`${missing.length} CRDs to be Established, for example ${missing[0]?.metadata.name}`)
}

/** @throws NotYet while Karmada's aggregated API does not answer, with what the aggregation layer says of it */
export const demandAvailable = async (client: KubernetesClient): Promise<void> => {
  const available = conditionOf(await client.get(apiServices, API_SERVICE), 'Available')
  if (available?.status === 'True') return
  const said = available === undefined ? '' : `: ${available.reason}: ${available.message}`
  throw new NotYet(`APIService ${API_SERVICE} to be Available${said}`)
}
