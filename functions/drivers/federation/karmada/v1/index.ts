import type { FederationContext, FederationDriver } from '../../../contract/federation-driver.ts'
import type { Phase } from '../../../contract/phase.ts'
import { checkHost } from './checks/host.ts'
import { checkMember } from './checks/member.ts'
import { checkUpdate } from './checks/update.ts'
import { kubeconfig } from './control-plane/kubeconfig.ts'
import { karmadaV1Description } from './description.ts'
import { cleanMember, revokeMember } from './member/clean.ts'
import { cordonMember } from './member/cordon.ts'
import { deregisterMember } from './member/deregister.ts'
import { tokensIn } from './member/manifests.ts'
import { observeMade, prepareMember } from './member/prepare.ts'
import { refreshMember, registerMember } from './member/register.ts'
import { stateOf } from './model/names.ts'
import { DEFAULT_OPTIONS, type KarmadaOptions } from './model/options.ts'
import { observe, observeMember } from './observe.ts'
import { certificatesPhase, encryptionPhase, secretsPhase } from './phases/certificates.ts'
import { checkPhase, contentPhase, verifyPhase } from './phases/content.ts'
import { growPhase } from './phases/grow.ts'
import { dropNamespace, dropStorage, namespacePhase, servicePhase, storagePhase } from './phases/host.ts'
import { apiServerPhase, controllersPhase, etcdPhase } from './phases/workloads.ts'

/** URL of the federation's API server, as it is advertised; null before it has an address. */
const endpoint = async ({ federation }: FederationContext): Promise<string | null> =>
  stateOf(federation).endpoint ?? null

type Plan = Phase<FederationContext>[]

/** The specified order (federation-control-planes.md 0): the address before the certificates, the content before the controllers. */
const createPlan = (options: KarmadaOptions): Plan => [
  namespacePhase(options),
  servicePhase,
  certificatesPhase(options),
  secretsPhase,
  storagePhase,
  etcdPhase({ startsApiServer: true }),
  apiServerPhase,
  contentPhase,
  controllersPhase,
  verifyPhase,
]

/** A failed change takes nothing back: the control plane runs, and what is made already belongs to it. */
const withoutUndo = ({ undo: _, ...phase }: Phase<FederationContext>): Phase<FederationContext> => phase

/** New images, names, numbers: everything is brought to what it is to be, and replaced in the order in which it was made. */
const updatePlan = (options: KarmadaOptions): Plan =>
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
    contentPhase,
    controllersPhase,
    verifyPhase,
  ].map(withoutUndo)

/** Leaves that near their end; authorities and the key of service accounts stay, so that old and new go together while pods are replaced. */
const rotatePlan = (options: KarmadaOptions): Plan =>
  [
    certificatesPhase(options),
    secretsPhase,
    etcdPhase({ startsApiServer: false }),
    apiServerPhase,
    encryptionPhase,
    contentPhase,
    controllersPhase,
    verifyPhase,
  ].map(withoutUndo)

type Removal = { of: Phase<FederationContext>; title: string; remove?: Phase<FederationContext>['ensure'] }

const removal = ({ of: phase, title, remove }: Removal): Phase<FederationContext> => ({
  id: phase.id,
  title,
  deadlineSeconds: 300,
  ensure: async (context) => (await (remove ?? phase.undo)?.(context)) ?? { done: true },
})

/** Everything of ours, in the reverse order of dependency. */
const deletePlan = (options: KarmadaOptions): Plan =>
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

/** The driver with other timeouts than the usual, for tests. */
export const karmadaDriver = (given: Partial<KarmadaOptions> = {}): FederationDriver => {
  const options = { ...DEFAULT_OPTIONS, ...given }
  return {
    ...karmadaV1Description,
    phases: {
      create: createPlan(options),
      update: updatePlan(options),
      delete: deletePlan(options),
      rotate: rotatePlan(options),
    },
    checkHost,
    checkMember,
    checkUpdate,
    prepareMember: (context) => prepareMember(context, options),
    registerMember: (context) => registerMember(context, options),
    observeMember,
    observeMade,
    refreshMember: (context) => refreshMember(context, options),
    cordonMember,
    revokeMember,
    tokensIn,
    deregisterMember: (context) => deregisterMember(context, options),
    cleanMember: (context) => cleanMember(context, options),
    endpoint,
    observe,
    kubeconfig,
  }
}

export const karmadaV1: FederationDriver = karmadaDriver()
