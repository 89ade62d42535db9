import type { FederationContext } from '../../../contract/federation-driver.ts'
import type { Phase } from '../../../contract/phase.ts'
import type { KarmadaOptions } from './options.ts'
import { certificatesPhase } from './phases/certificates.ts'
import { checkPhase } from './phases/check.ts'
import { contentPhase } from './phases/content.ts'
import { encryptionPhase } from './phases/encryption.ts'
import { growPhase } from './phases/grow.ts'
import { dropNamespace, namespacePhase } from './phases/namespace.ts'
import { secretsPhase } from './phases/secrets.ts'
import { servicePhase } from './phases/service.ts'
import { dropStorage, storagePhase } from './phases/storage.ts'
import { verifyPhase } from './phases/verify.ts'
import { apiServerPhase, controllersPhase, etcdPhase } from './phases/workloads.ts'

type Plan = Phase<FederationContext>[]

/** The specified order (federation-control-planes.md 0): the address before the certificates, the content before the controllers. */
export const createPlan = (options: KarmadaOptions): Plan => [
  namespacePhase(options),
  servicePhase,
  certificatesPhase(options),
  secretsPhase,
  storagePhase,
  etcdPhase({ startsApiServer: true }),
  apiServerPhase,
  contentPhase(),
  controllersPhase,
  verifyPhase(),
]

/** A failed change takes nothing back: the control plane runs, and what is made already belongs to it. */
const withoutUndo = ({ undo: _, ...phase }: Phase<FederationContext>): Phase<FederationContext> => phase

/** New images, names, numbers: everything is brought to what it is to be, and replaced in the order in which it was made. */
export const updatePlan = (options: KarmadaOptions): Plan =>
  [
    checkPhase,
    servicePhase,
    certificatesPhase(options),
    secretsPhase,
    storagePhase,
    growPhase,
    etcdPhase({ startsApiServer: false }),
    apiServerPhase,
    encryptionPhase,
    contentPhase(),
    controllersPhase,
    verifyPhase(),
  ].map(withoutUndo)

/** Leaves that near their end; authorities and the key of service accounts stay, so that old and new go together while pods are replaced. */
export const rotatePlan = (options: KarmadaOptions): Plan =>
  [
    certificatesPhase(options),
    secretsPhase,
    etcdPhase({ startsApiServer: false }),
    apiServerPhase,
    encryptionPhase,
    contentPhase(),
    controllersPhase,
    verifyPhase(),
  ].map(withoutUndo)

type Removal = { of: Phase<FederationContext>; title: string; remove?: Phase<FederationContext>['ensure'] }

const removal = ({ of: phase, title, remove }: Removal): Phase<FederationContext> => ({
  id: phase.id,
  title,
  deadlineSeconds: 300,
  ensure: async (context) => (await (remove ?? phase.undo)?.(context)) ?? { done: true },
})

/** Everything of ours, in the reverse order of dependency. */
export const deletePlan = (options: KarmadaOptions): Plan =>
  [
    { of: controllersPhase, title: 'controllers and webhook removed' },
    { of: apiServerPhase, title: 'API servers removed' },
    { of: etcdPhase({ startsApiServer: false }), title: 'etcd removed' },
    { of: storagePhase, title: 'storage removed or kept', remove: dropStorage },
    { of: secretsPhase, title: 'kubeconfigs and certificates removed' },
    { of: certificatesPhase(options), title: 'keys forgotten' },
    { of: servicePhase, title: 'Services removed' },
    {
      of: namespacePhase(options),
      title: 'namespace removed',
      remove: (context: FederationContext) => dropNamespace(context, options),
    },
  ].map(removal)
