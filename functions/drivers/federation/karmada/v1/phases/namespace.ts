import type { ObjectRef } from '../../../../../core/values/object-ref.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ObjectConflict } from '../../../../../kubernetes/errors.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import { ForeignObject } from '../../../../contract/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { createNamespace, removeNamespace } from '../../../../support/namespace.ts'
import { isOwned, isTerminating, nameOf, refOf } from '../../../../support/owned.ts'
import { Pending, step, type Trace } from '../../../../support/step.ts'
import { ownClaims } from '../host/etcd.ts'
import { foreignThings, namespaceFault, USED_BY, userOf } from '../host/foreign.ts'
import { type HostWork, hostWork, inHost } from '../host/host-work.ts'
import type { KarmadaOptions } from '../model/options.ts'

/**
 * Sets or removes the annotation if the namespace is still as it was read. The host itself has the last word on who uses it: a claim in our
 * table binds one project only, since a cluster of another project may say that it has the same uid (decision 0028).
 *
 * @throws Pending when it changed meanwhile
 */
const markUse = async ({ site, namespace: name }: HostWork, read: KubernetesObject, user: string | null) => {
  const { resourceVersion } = read.metadata
  try {
    await site.client.patch(namespaces, name, { metadata: { resourceVersion, annotations: { [USED_BY]: user } } })
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    throw new Pending(`${nameOf(site, read)}, which changed meanwhile, to be observed again`)
  }
}

const ensureUsable = async (work: HostWork, trace: Trace): Promise<void> => {
  const { site, namespace: name } = work
  const found = await site.client.get(namespaces, name)
  if (found === undefined) {
    trace.made(refOf(site, await createNamespace(site, name)))
    return
  }
  if (isTerminating(found)) throw new Pending(`${nameOf(site, found)} to be gone before it is made again`)
  const fault = await namespaceFault(work, found)
  if (fault !== null) throw new ForeignObject(fault)
  // One that was there before stays without our label: it is not ours to remove.
  if (isOwned(site, found)) trace.made(refOf(site, found))
  else if (userOf(found) === undefined) await markUse(work, found, site.federationId)
}

const emptied = async (work: HostWork, namespace: KubernetesObject): Promise<boolean> =>
  isTerminating(namespace) ||
  ((await ownClaims(work)).length === 0 && (await foreignThings(work.site, work.namespace)).length === 0)

/** Removes the namespace when we made it and nothing lives in it; else it is left over, with the volumes that are kept. */
export const dropNamespace = (
  context: FederationContext,
  { namespaceTimeoutSeconds }: KarmadaOptions,
): Promise<StepResult> =>
  step(async (): Promise<{ leftovers: ObjectRef[] }> => {
    const work = await hostWork(context)
    const { site, namespace: name } = work
    const namespace = await site.client.get(namespaces, name)
    if (namespace === undefined) return { leftovers: [] }
    if (userOf(namespace) === site.federationId) await markUse(work, namespace, null)
    if (!isOwned(site, namespace)) return { leftovers: [] }
    if (!(await emptied(work, namespace))) return { leftovers: [refOf(site, namespace)] }
    return {
      leftovers: await removeNamespace(site, {
        name,
        now: context.now(),
        timeoutSeconds: namespaceTimeoutSeconds,
      }),
    }
  })

/** The namespace of the control plane: made, or one that is there and has nothing under our names. */
export const namespacePhase = (options: KarmadaOptions): Phase<FederationContext> => ({
  id: 'namespace',
  title: 'namespace',
  deadlineSeconds: 120,
  ensure: inHost(async (work, trace) => {
    await ensureUsable(work, trace)
    return {}
  }),
  undo: (context) => dropNamespace(context, options),
})
