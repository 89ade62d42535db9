import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { listAll } from '../../../../support/owned.ts'
import { step, type Trace } from '../../../../support/step.ts'
import { aggregatedApiServerManifest, apiServerManifest } from '../host/api-servers.ts'
import { controllerManifests } from '../host/controllers.ts'
import { currentMembership, etcdManifest } from '../host/etcd.ts'
import { ensureAll, type HostWork, hostWork, inHost, removeComponents, requirePki } from '../host/host-work.ts'
import { componentSelector, pods } from '../host/plan.ts'
import { budgetManifests } from '../host/pod.ts'
import { requireRolledOut } from '../host/rollout.ts'
import {
  AGGREGATED_API_SERVER,
  API_SERVER,
  CONTROLLER_MANAGER,
  ETCD,
  KUBE_CONTROLLER_MANAGER,
  SCHEDULER,
  WEBHOOK,
} from '../model/names.ts'

const CONTROLLERS = [KUBE_CONTROLLER_MANAGER, SCHEDULER, CONTROLLER_MANAGER, WEBHOOK]

/** Brings workloads and their budgets to what they are to be, and waits until their pods are. @throws Pending until then */
const rollOut = async (work: HostWork, trace: Trace, manifests: readonly KubernetesObject[]): Promise<void> => {
  const budgets = budgetManifests(
    work.plan,
    manifests.map(({ metadata }) => metadata.name),
  )
  const made = await ensureAll(work, trace, [...manifests, ...budgets])
  await requireRolledOut(work.site.client, made.slice(0, manifests.length), work.time)
}

/**
 * Karmada's aggregated API server, in the host. It is part of what the content makes, since it ends again as long as its roles are not there.
 *
 * @throws Pending until it runs
 */
export const ensureAggregatedApiServer = async (context: FederationContext, trace: Trace): Promise<void> => {
  const work = await hostWork(context)
  await rollOut(work, trace, [aggregatedApiServerManifest(work.plan, await requirePki(context))])
}

const remove =
  (components: readonly string[]) =>
  (context: FederationContext): Promise<StepResult> =>
    step(async () => {
      await removeComponents(await hostWork(context), components)
      return {}
    })

const isRunning = ({ status }: KubernetesObject): boolean =>
  typeof status === 'object' && status !== null && 'phase' in status && status.phase === 'Running'

/** True once etcd has its volume and its image, and starts. */
const etcdRuns = async ({ site, namespace }: HostWork): Promise<boolean> =>
  (await listAll(site.client, pods(namespace), componentSelector(site.federationId, ETCD))).some(isRunning)

/**
 * @param startsApiServer the API server is made as soon as etcd runs: it tries for a while to reach it, and starts meanwhile. Not where an API server
 *   runs already, whose pods are to be replaced only after etcd's
 */
export const etcdPhase = ({ startsApiServer }: { startsApiServer: boolean }): Phase<FederationContext> => ({
  id: 'etcd',
  title: 'etcd',
  deadlineSeconds: 600,
  ensure: inHost(async (work, trace, context) => {
    const pki = await requirePki(context)
    const etcd = etcdManifest(work.plan, pki, await currentMembership(work))
    await ensureAll(work, trace, [etcd])
    if (startsApiServer && (await etcdRuns(work))) await ensureAll(work, trace, [apiServerManifest(work.plan, pki)])
    await rollOut(work, trace, [etcd])
    return {}
  }),
  undo: remove([ETCD]),
})

export const apiServerPhase: Phase<FederationContext> = {
  id: 'api-server',
  title: 'API server',
  deadlineSeconds: 600,
  ensure: inHost(async (work, trace, context) => {
    await rollOut(work, trace, [apiServerManifest(work.plan, await requirePki(context))])
    return {}
  }),
  undo: remove([AGGREGATED_API_SERVER, API_SERVER]),
}

export const controllersPhase: Phase<FederationContext> = {
  id: 'controllers',
  title: 'controllers and webhook',
  deadlineSeconds: 600,
  ensure: inHost(async (work, trace, context) => {
    await rollOut(work, trace, controllerManifests(work.plan, await requirePki(context)))
    return {}
  }),
  undo: remove(CONTROLLERS),
}
