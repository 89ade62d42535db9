import type { JsonObject } from '../../core/values/json.ts'
import type { ObjectRef } from '../../core/values/object-ref.ts'
import type { Secret } from '../../core/values/secret.ts'

/** What a driver's step says when it is over. `made` and `state` are stored before anything else happens. */
export type StepResult = {
  /** False: look again after a while. The caller polls in-process up to 10 s, then returns to the state machine's Wait. */
  done: boolean
  /** What is awaited, for `status_reason`: "the CRD clusterprofiles.multicluster.x-k8s.io to be Established". Needed when not done. */
  waitingFor?: string
  /** Objects that this call made or found to be ours. Stored for federations and members only: clusters find theirs by name and label (rule C3). */
  made?: readonly ObjectRef[]
  /** Of what `made` had before: objects that are removed by now, also by a call that was killed. They are forgotten. Of members only. */
  gone?: readonly ObjectRef[]
  /** Merged into the entity's `driverState`; null removes a key. */
  state?: JsonObject
  /** Secrets of the driver, by name: sealed and stored with `state`, in one write; null removes one. Phases of federations only. */
  sealed?: Readonly<Record<string, Secret | null>>
  /** ISO-8601 UTC when what expires is to be renewed by the plan `rotate`; null when nothing expires. Phases of federations only. */
  renewAfter?: string | null
  /**
   * Objects of ours that stay although the step is done, for example a namespace where no namespace controller runs. Told to the user
   * when the operation ends.
   */
  leftovers?: readonly ObjectRef[]
  /**
   * In whole sentences. Of phases of federations: what works in part only although the step is done, told with ControlPlaneReady when the operation
   * ends. Of `deregisterMember`, done or not: which workloads stay in the member because the control plane could not take them back; told with what
   * the unjoin leaves behind.
   */
  warnings?: readonly string[]
  /** @deprecated What drivers for the release before this one call their warnings; read until the next. */
  remarks?: readonly string[]
}

/**
 * One ordered step of a driver's plan. Both functions observe before they act and can run twice, or be killed and run again.
 */
export type Phase<Context> = {
  /** Kebab-case, unique in its plan, stable: it is stored in running executions. */
  id: string
  /** What it does, for progress: "3/9 certificates". */
  title: string
  /** Seconds until it counts as failed, from its first call. */
  deadlineSeconds: number
  ensure(context: Context): Promise<StepResult>
  /** Takes back what `ensure` made, as far as it is there. Phases without it leave nothing behind. */
  undo?(context: Context): Promise<StepResult>
}

/** The same in each copy of this module: a driver from outside may bring its own. */
const MADE = Symbol.for('fedplane.made-before')

/** Notes on an error what the function that throws it had made by then, so that its caller stores that. */
export const withMade = (error: unknown, made: readonly ObjectRef[]): unknown => {
  if (error instanceof Error && made.length > 0) Object.defineProperty(error, MADE, { value: made })
  return error
}

/** What a driver's function had made before it threw this; empty when nothing was noted. */
export const madeBefore = (error: unknown): readonly ObjectRef[] =>
  error instanceof Error ? ((error as { [MADE]?: readonly ObjectRef[] })[MADE] ?? []) : []

/** Warnings of a step, by whichever name. */
export const warningsIn = ({ warnings, remarks }: StepResult): readonly string[] => warnings ?? remarks ?? []
