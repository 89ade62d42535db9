import type { ObjectRef } from '../../../../../domain/object-ref.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import { ForeignObject } from '../../../../contract/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { namespaceManifest, removeNamespace } from '../../../../support/namespace.ts'
import { FEDERATION_LABEL, isOwned, isTerminating, nameOf, refOf } from '../../../../support/owned.ts'
import { NotYet, step, type Trace } from '../../../../support/step.ts'
import { foreignThings } from '../host/foreign.ts'
import { type HostWork, hostWork } from '../host/host-work.ts'
import { takenNames } from '../host/taken-names.ts'
import type { KarmadaOptions } from '../options.ts'
import { ownClaims } from './storage.ts'

/** Id of the federation that made the namespace. */
export const ownerOf = ({ metadata }: KubernetesObject): string | undefined => metadata.labels?.[FEDERATION_LABEL]

/** Why an existing namespace can't be used, as a whole sentence; null when it can. */
export const namespaceFault = async (work: HostWork, namespace: KubernetesObject): Promise<string | null> => {
  const { site } = work
  const owner = ownerOf(namespace)
  if (owner !== undefined && owner !== site.federationId) {
    return `${nameOf(site, namespace)} belongs to federation ${owner}. Choose another one in property namespace, or delete that federation and what it left.`
  }
  const taken = await takenNames(work)
  if (taken.length === 0) return null
  return `${nameOf(site, namespace)} holds objects of others under names that the control plane needs: ${taken.join(', ')}. Choose another namespace, or remove them.`
}

const ensureNamespace = async (work: HostWork, trace: Trace): Promise<void> => {
  const { site, namespace: name } = work
  const found = await site.client.get(namespaces, name)
  if (found !== undefined && isTerminating(found)) {
    throw new NotYet(`${nameOf(site, found)} to be gone before it is made again`)
  }
  const fault = found === undefined ? null : await namespaceFault(work, found)
  if (fault !== null) throw new ForeignObject(fault)
  const namespace = found ?? (await site.client.apply(namespaces, namespaceManifest(site.federationId, name)))
  // One that was there before stays without our label: it is not ours to remove.
  if (isOwned(site, namespace)) trace.made(refOf(site, namespace))
}

const emptied = async (work: HostWork, namespace: KubernetesObject): Promise<boolean> =>
  isTerminating(namespace) ||
  ((await ownClaims(work)).length === 0 && (await foreignThings(work.site, work.namespace)).length === 0)

/** Removes the namespace when we made it and nothing lives in it; else it is left over, with the volumes that are kept. */
export const dropNamespace = (
  context: FederationContext,
  { namespacePatienceSeconds }: KarmadaOptions,
): Promise<StepResult> =>
  step(async (): Promise<{ leftovers: ObjectRef[] }> => {
    const work = await hostWork(context)
    const { site, namespace: name } = work
    const namespace = await site.client.get(namespaces, name)
    if (namespace === undefined || !isOwned(site, namespace)) return { leftovers: [] }
    if (!(await emptied(work, namespace))) return { leftovers: [refOf(site, namespace)] }
    return {
      leftovers: await removeNamespace(site, {
        name,
        now: context.now(),
        patienceSeconds: namespacePatienceSeconds,
      }),
    }
  })

/** The namespace of the control plane: made, or one that is there and has nothing under our names. */
export const namespacePhase = (options: KarmadaOptions): Phase<FederationContext> => ({
  id: 'namespace',
  title: 'namespace',
  deadlineSeconds: 120,
  ensure: (context) =>
    step(async (trace) => {
      await ensureNamespace(await hostWork(context), trace)
      return {}
    }),
  undo: (context) => dropNamespace(context, options),
})
