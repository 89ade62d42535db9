import { CLUSTER_CONTRACT, type ClusterDriverDescription } from '../../../contract/cluster-driver-description.ts'
import { EKS_EVENTS } from './calls.schema.ts'
import { check, EKS, EKS_FIELDS } from './fields.ts'

/** What eks@1 says. */
export const eksV1Description = {
  id: 'eks@1',
  contract: CLUSTER_CONTRACT,
  description:
    'Registers an Amazon EKS cluster by name and Region; its token is made anew for each use, from an IAM role.',
  capabilities: {
    needsKubeconfig: false,
    kubernetesApi: true,
    makesNodes: false,
    certificateAuthority: false,
    needsManagement: false,
  },
  builtinTemplate: { id: 'fed91a4e-0000-4000-8000-000000000002', name: 'eks' },
  registration: {
    attribute: EKS,
    fields: EKS_FIELDS,
    advice: {
      credential:
        'fedplane makes a token for each use. When the cluster refuses it, give the IAM role an EKS access entry; to use another role, delete the cluster and register it again with "eks".',
      certificate:
        'EKS signs no certificates for clients: give the IAM role or user an EKS access entry, and make its kubeconfig with "aws eks update-kubeconfig".',
    },
  },
  cloud: EKS_EVENTS,
  updates: [],
  check,
} satisfies ClusterDriverDescription
