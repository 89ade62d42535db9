import {
  FEDERATION_CONTRACT,
  type FederationDriverDescription,
} from '../../../contract/federation-driver-description.ts'
import { changeFaults } from './model/change-rules.ts'
import { FIND_WORKLOADS, reservedNamespaceFault } from './model/names.ts'
import { namespaceOf, PROPERTIES } from './model/properties.ts'
import { faultsOf } from './model/property-rules.ts'

/** What karmada@1 says. */
export const karmadaV1Description = {
  id: 'karmada@1',
  contract: FEDERATION_CONTRACT,
  description:
    'Runs a whole Karmada 1.18 control plane in the host, which must run pods: one API endpoint that spreads workloads over all members.',
  capabilities: {
    hostAsMember: true,
    usesKubernetesApi: true,
    kubeconfig: true,
    workloads: true,
    cordon: true,
    revoke: true,
  },
  findWorkloads: FIND_WORKLOADS,
  distinctMemberNames: true,
  properties: PROPERTIES,
  validateProperties: faultsOf,
  validateChange: changeFaults,
  // Its controllers spread whatever users write over the members, and its pods run in the host.
  rights: () => ({ host: 'more', member: 'more' }),
  kubeconfigs: {
    // An editor of all namespaces reads the tokens of all members, which are in Secrets: that is an administrator.
    roles: { viewer: ['all', 'namespace'], editor: ['namespace'], admin: ['all', 'namespace'] },
    namespaceFault: reservedNamespaceFault,
  },
  hostNamespaces: (federation) => [namespaceOf(federation)],
} satisfies FederationDriverDescription
