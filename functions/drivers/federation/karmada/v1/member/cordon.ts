import * as z from 'zod'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ObjectConflict } from '../../../../../kubernetes/errors.ts'
import type { MemberContext } from '../../../../contract/federation-driver.ts'
import type { StepResult } from '../../../../contract/phase.ts'
import { isOwned, isTerminating } from '../../../../support/owned.ts'
import { Pending, step } from '../../../../support/step.ts'
import { hasControlPlane, workInControlPlane } from '../control-plane/open.ts'
import { clusters, controlPlaneSite } from './names.ts'

/** Key of the taint on a Cluster whose member is unhealthy by the federation's health policy. */
const UNHEALTHY_TAINT = 'fedplane.io/unhealthy'

const CORDON = { key: UNHEALTHY_TAINT, effect: 'NoSchedule' } as const

const Taint = z.looseObject({ key: z.string(), effect: z.string().default('') })
type Taint = z.output<typeof Taint>

const Tainted = z.object({ spec: z.object({ taints: z.array(Taint).nullable().default([]) }) })

/** Ours is known by its key. */
const isOurs = ({ key }: Taint): boolean => key === UNHEALTHY_TAINT

/** The taints as they are to be, others' untouched and in their order; undefined where they are so already. */
const taintsAfter = (cluster: KubernetesObject, isCordoned: boolean): Taint[] | undefined => {
  const taints = Tainted.parse(cluster).spec.taints ?? []
  const own = taints.filter(isOurs)
  const isDone = isCordoned ? own.length === 1 && own[0]?.effect === CORDON.effect : own.length === 0
  if (isDone) return undefined
  const others = taints.filter((taint) => !isOurs(taint))
  return isCordoned ? [...others, CORDON] : others
}

const taint = async (context: MemberContext, client: KubernetesClient, isCordoned: boolean): Promise<void> => {
  const { memberName } = context.membership
  const cluster = await client.get(clusters, memberName)
  if (cluster === undefined || isTerminating(cluster) || !isOwned(controlPlaneSite(context, client), cluster)) return
  const taints = taintsAfter(cluster, isCordoned)
  if (taints === undefined) return
  const { resourceVersion } = cluster.metadata
  try {
    // A merge patch puts the whole list in place: only on top of the very one that was read.
    await client.patch(clusters, memberName, { metadata: { resourceVersion }, spec: { taints } })
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    throw new Pending(`Cluster ${memberName} to be left alone by others while its taints are changed`)
  }
}

/**
 * A `NoSchedule` taint on the member's Cluster, or none: Karmada's scheduler sends no new workloads there, and what is there moves as its policies say.
 * Nothing for a member that is not registered, or on its way out.
 */
export const cordonMember = (context: MemberContext, isCordoned: boolean): Promise<StepResult> =>
  step(async () => {
    if (await hasControlPlane(context)) {
      await workInControlPlane(context, (client) => taint(context, client, isCordoned))
    }
    return {}
  })
