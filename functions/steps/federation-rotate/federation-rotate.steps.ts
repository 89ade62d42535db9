import { CERTIFICATES_CURRENT, type Federation, type FederationUpdate } from '../../domain/federation.ts'
import { noted } from '../../operations/failure.ts'
import {
  certificatesCurrent,
  endFederationRotate,
  endFederationRotateFailed,
} from '../../operations/federation-rotate-end.ts'
import { openFederation } from '../../operations/subjects.ts'
import { NothingToRenew } from '../errors.ts'
import { federationSubject } from '../federation/federation-subject.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'
import type { StepPorts, StepState } from '../step.ts'

/** A date that did not move would start the next rotation at once. @throws NothingToRenew */
const demandRenewed = async (ports: StepPorts, state: StepState): Promise<void> => {
  const { renewAfter, driver } = await openFederation(ports, state)
  if (renewAfter === null || renewAfter > ports.clock.now().toISOString()) return
  throw new NothingToRenew(`Driver ${driver} renewed nothing: renewal is still due since ${renewAfter}.`)
}

const isTold = ({ conditions }: Federation, message: string): boolean =>
  conditions.some((it) => it.type === CERTIFICATES_CURRENT && it.status === 'Unknown' && it.message === message)

const told = (ports: StepPorts, federation: Federation, message: string): FederationUpdate => ({
  conditions: certificatesCurrent(ports, federation, { status: 'Unknown', reason: 'Renewing', message }),
})

const federationRotate: Loop = {
  operation: async (ports, state) => (await openFederation(ports, state)).operation,
  subject: (ports, state) =>
    federationSubject(ports, state, {
      phases: (driver) => driver.phases.rotate,
      tell: (federation, message) => (isTold(federation, message) ? {} : told(ports, federation, message)),
    }),
  succeed: async (ports, state, { notes }) => {
    await demandRenewed(ports, state)
    await endFederationRotate(ports, state, notes)
  },
  fail: (ports, state, { failure, notes }) => endFederationRotateFailed(ports, state, noted(failure, notes)),
}

/** Renews the certificates of a federation's control plane. */
export const federationRotateSteps = loopSteps(federationRotate)
