import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { NotYet } from '../../../../support/step.ts'
import { readPki } from '../pki/read-pki.ts'
import { parseProperties } from '../schema.ts'
import { aggregation } from './aggregation.ts'
import { crdManifests } from './crds.ts'
import { keepWorkloads } from './keep-workloads.ts'
import { rbac } from './rbac.ts'
import { systemNamespaces } from './system.ts'
import { webhookConfigurations } from './webhooks.ts'

/** What a new API server needs to be a control plane, in this order. */
export type Content = {
  namespaces: KubernetesObject[]
  /** Components end again as long as theirs are not there. */
  roles: KubernetesObject[]
  rest: KubernetesObject[]
}

/**
 * All objects that are put into the control plane (federation-control-planes.md 1.7). None of them is of a kind that its webhooks look at, so these
 * may well refuse everything until the webhook server runs.
 *
 * @throws NotYet before there are certificates
 */
export const contentOf = async (context: FederationContext): Promise<Content> => {
  const pki = await readPki(context)
  if (pki === undefined) throw new NotYet('the control plane to have certificates')
  const { namespace, clusterDomain } = parseProperties(context.federation.properties)
  const site = { namespace, clusterDomain, caPem: pki.authorities.karmada.certificate }
  return {
    namespaces: systemNamespaces(context.federation.id),
    roles: rbac(),
    rest: [
      ...(await crdManifests(context, site)),
      ...webhookConfigurations(site),
      ...aggregation(site),
      ...keepWorkloads(),
    ],
  }
}
