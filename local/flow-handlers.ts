import { FLOWS, type Flow } from '../functions/domain/operation.ts'
import type { Ports } from '../functions/runtime/ports.ts'
import { clusterCreateSteps } from '../functions/steps/cluster-create/cluster-create.steps.ts'
import { clusterDeleteSteps } from '../functions/steps/cluster-delete/cluster-delete.steps.ts'
import { clusterUpdateSteps } from '../functions/steps/cluster-update/cluster-update.steps.ts'
import { credentialRotateSteps } from '../functions/steps/credential-rotate/credential-rotate.steps.ts'
import { federationCreateSteps } from '../functions/steps/federation-create/federation-create.steps.ts'
import { federationDeleteSteps } from '../functions/steps/federation-delete/federation-delete.steps.ts'
import { federationUpdateSteps } from '../functions/steps/federation-update/federation-update.steps.ts'
import { handlerFor, type Steps } from '../functions/steps/handler-for.ts'
import { memberJoinSteps } from '../functions/steps/member-join/member-join.steps.ts'
import { memberUnjoinSteps } from '../functions/steps/member-unjoin/member-unjoin.steps.ts'
import type { FlowHandlers } from './engine/engine.ts'

/** How long a step looks again by itself, milliseconds, before it hands the wait to the state machine: as on AWS. */
const POLL_MS = 10_000

const STEPS: Readonly<Record<Flow, Steps>> = {
  'cluster-create': clusterCreateSteps,
  'cluster-update': clusterUpdateSteps,
  'cluster-delete': clusterDeleteSteps,
  'federation-create': federationCreateSteps,
  'federation-update': federationUpdateSteps,
  'federation-delete': federationDeleteSteps,
  'member-join': memberJoinSteps,
  'member-unjoin': memberUnjoinSteps,
  'credential-rotate': credentialRotateSteps,
}

/** The functions that the state machines call, one per flow, as the Lambda entries make them. */
export const flowHandlers = (ports: Ports, pollMs = POLL_MS): FlowHandlers =>
  Object.fromEntries(FLOWS.map((flow) => [flow, handlerFor({ ...ports, pollMs }, flow, STEPS[flow])]))
