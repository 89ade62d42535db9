import type { Json } from '../domain/json.ts'
import type { Flow } from '../domain/operation.ts'
import type { Ports } from '../runtime/ports.ts'
import { clusterCreateSteps } from './cluster-create/cluster-create.steps.ts'
import { clusterDeleteSteps } from './cluster-delete/cluster-delete.steps.ts'
import { clusterUpdateSteps } from './cluster-update/cluster-update.steps.ts'
import { credentialRotateSteps } from './credential-rotate/credential-rotate.steps.ts'
import { federationCreateSteps } from './federation-create/federation-create.steps.ts'
import { federationDeleteSteps } from './federation-delete/federation-delete.steps.ts'
import { federationRotateSteps } from './federation-rotate/federation-rotate.steps.ts'
import { federationUpdateSteps } from './federation-update/federation-update.steps.ts'
import { handlerFor, type Steps } from './handler-for.ts'
import { memberJoinSteps } from './member-join/member-join.steps.ts'
import { memberUnjoinSteps } from './member-unjoin/member-unjoin.steps.ts'
import { POLL_MS } from './poll.ts'

/** The steps of every flow: names equal the Task states of `operation.asl.json` (a test holds them together). */
export const FLOW_STEPS: Readonly<Record<Flow, Steps>> = {
  'cluster-create': clusterCreateSteps,
  'cluster-update': clusterUpdateSteps,
  'cluster-delete': clusterDeleteSteps,
  'federation-create': federationCreateSteps,
  'federation-update': federationUpdateSteps,
  'federation-delete': federationDeleteSteps,
  'member-join': memberJoinSteps,
  'member-unjoin': memberUnjoinSteps,
  'credential-rotate': credentialRotateSteps,
  'federation-rotate': federationRotateSteps,
}

/** Takes a Task's payload, gives its result. Throws only errors with a literal name and a safe message. */
export type FlowHandler = (event: unknown) => Promise<Json>

export type FlowOptions = {
  /** In place of `POLL_MS`, for tests. */
  pollMs?: number
}

/** The function of all flows over these ports: on AWS one Lambda, locally in the process. */
export const flowHandler = (ports: Ports, { pollMs = POLL_MS }: FlowOptions = {}): FlowHandler =>
  handlerFor({ ...ports, pollMs }, FLOW_STEPS)
