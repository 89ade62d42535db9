import type { FederationDriver } from '../../../contract/federation-driver.ts'
import { checkHost } from './check-host.ts'
import { checkMember } from './check-member.ts'
import { checkUpdate } from './check-update.ts'
import { cleanMember } from './clean-member.ts'
import { deregisterMember } from './deregister-member.ts'
import { karmadaV1Description } from './description.ts'
import { endpoint } from './endpoint.ts'
import { kubeconfig } from './kubeconfig.ts'
import { observe } from './observe.ts'
import { observeMember } from './observe-member.ts'
import { DEFAULT_OPTIONS, type KarmadaOptions } from './options.ts'
import { createPlan, deletePlan, rotatePlan, updatePlan } from './plans.ts'
import { prepareMember } from './prepare-member.ts'
import { registerMember } from './register-member.ts'

/** The driver with other patience than the usual, for tests. */
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
    deregisterMember: (context) => deregisterMember(context, options),
    cleanMember: (context) => cleanMember(context, options),
    endpoint,
    observe,
    kubeconfig,
  }
}

export const karmadaV1: FederationDriver = karmadaDriver()
