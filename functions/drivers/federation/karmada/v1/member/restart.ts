import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ObjectConflict } from '../../../../../kubernetes/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { Pending } from '../../../../support/step.ts'
import { deployments } from '../host/plan.ts'
import { progressOf } from '../host/rollout.ts'
import { CONTROLLER_MANAGER } from '../model/names.ts'
import type { KarmadaOptions } from '../model/options.ts'
import { namespaceOf } from '../model/properties.ts'

/** On the pods of karmada-controller-manager: when they were last made anew. ISO-8601 UTC. */
const RESTARTED_ANNOTATION = 'fedplane.io/restarted-at'

const Restarted = z.object({
  spec: z.object({
    template: z.object({
      metadata: z.object({ annotations: z.object({ [RESTARTED_ANNOTATION]: z.string().optional() }).optional() }),
    }),
  }),
})

const restartedAt = (deployment: KubernetesObject): string =>
  Restarted.safeParse(deployment).data?.spec.template.metadata.annotations?.[RESTARTED_ANNOTATION] ?? ''

export type RestartTimes = {
  /** When the token was published. ISO-8601 UTC, as all. */
  publishedAt: string
  /** When the pods were last made anew; empty when never by us. */
  restartedAt: string
  now: string
}

const secondsBetween = (from: string, to: string): number => (new Date(to).getTime() - new Date(from).getTime()) / 1000

/** Seconds until a restart may be asked for; 0 when it is time, null when one has come after the token. */
export const secondsToRestart = (
  { publishedAt, restartedAt: last, now }: RestartTimes,
  options: Pick<KarmadaOptions, 'restartSettleSeconds' | 'restartIntervalSeconds'>,
): number | null => {
  if (last > publishedAt) return null
  const settled = options.restartSettleSeconds - secondsBetween(publishedAt, now)
  const rested = last === '' ? 0 : options.restartIntervalSeconds - secondsBetween(last, now)
  return Math.max(0, settled, rested)
}

/** Asks for the restart, unless somebody else changed the Deployment since we looked. */
const restart = async (context: FederationContext, { metadata }: KubernetesObject): Promise<void> => {
  const client = await context.host.client()
  try {
    await client.patch(deployments(namespaceOf(context.federation)), CONTROLLER_MANAGER, {
      metadata: { resourceVersion: metadata.resourceVersion },
      spec: { template: { metadata: { annotations: { [RESTARTED_ANNOTATION]: context.now() } } } },
    })
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
  }
}

/**
 * Up to Karmada 1.18.2 watches of a member stay with the token that they began with, so a new one is in force only once
 * karmada-controller-manager has started again (issue karmada-io/karmada#7562). One restart serves all members whose tokens changed before it: it waits
 * a little for others, and comes at most once in some minutes.
 *
 * @throws Pending until pods that started after `publishedAt` have taken over
 */
export const requireRestartAfter = async (
  context: FederationContext,
  publishedAt: string,
  options: KarmadaOptions,
): Promise<void> => {
  const client = await context.host.client()
  const deployment = await client.get(deployments(namespaceOf(context.federation)), CONTROLLER_MANAGER)
  if (deployment === undefined) throw new Pending(`Deployment ${CONTROLLER_MANAGER} in the host to be there`)
  const times = { publishedAt, restartedAt: restartedAt(deployment), now: context.now() }
  const seconds = secondsToRestart(times, options)
  if (seconds === 0) await restart(context, deployment)
  const progress = seconds === null ? progressOf(deployment) : `to begin in ${Math.ceil(seconds)} s`
  if (progress !== null) throw new Pending(`the restart of ${CONTROLLER_MANAGER} with the new token: ${progress}`)
}
