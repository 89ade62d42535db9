import type { JsonObject } from '../../../../../core/values/json.ts'
import type { ObjectRef } from '../../../../../core/values/object-ref.ts'
import { hostOf } from '../../../../../kubernetes/address-guard.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ObjectConflict } from '../../../../../kubernetes/errors.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import { ForeignObject } from '../../../../contract/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { createNamespace, removeNamespace } from '../../../../support/namespace.ts'
import { FEDERATION_LABEL, isOwned, isTerminating, nameOf, refOf, requireOwned } from '../../../../support/owned.ts'
import { Pending, step, type Trace } from '../../../../support/step.ts'
import { claimManifests, claimSelector, missingClaims, ownClaims } from '../host/etcd.ts'
import { requireStorageClass } from '../host/findings.ts'
import { foreignThings, namespaceFault, USED_BY, userOf } from '../host/foreign.ts'
import { ensureAll, type HostWork, hostWork, inHost, removeSelected } from '../host/host-work.ts'
import { services, volumeClaims } from '../host/plan.ts'
import { advertisedUrl, balancerHosts, isIpv6Service, serviceManifests } from '../host/services.ts'
import { API_SERVER, type KarmadaState, stateOf } from '../model/names.ts'
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

/** Names that a certificate keeps for kubeconfigs that are out; the oldest go first. */
const HOSTS_MAX = 20

/** The old address stays good for who knows no other. */
const noteOf = (known: KarmadaState, endpoint: string, service: KubernetesObject): JsonObject => {
  const hosts = [known.endpoint, endpoint].filter((url) => url !== undefined).map((url) => hostOf(new URL(url)))
  return {
    endpoint,
    isIpv6: isIpv6Service(service),
    hosts: [...new Set([...(known.hosts ?? []), ...hosts, ...balancerHosts(service)])].slice(-HOSTS_MAX),
  }
}

/** The Services, and the address under which the API server is advertised. All that certificates say follows from it. */
export const servicePhase: Phase<FederationContext> = {
  id: 'service',
  title: 'API Service and its address',
  deadlineSeconds: 300,
  ensure: inHost(async (work, trace, context) => {
    const made = await ensureAll(work, trace, serviceManifests(work.plan))
    const service = made.find(({ metadata }) => metadata.name === API_SERVER)
    if (service === undefined) throw new TypeError(`The manifests have no Service ${API_SERVER}.`)
    const known = stateOf(context.federation)
    const endpoint = await advertisedUrl(work, service, known.endpoint)
    return { state: noteOf(known, endpoint, service) }
  }),
  undo: inHost(async (work) => {
    await removeSelected(work, [services(work.namespace)], `${FEDERATION_LABEL}=${work.site.federationId}`)
    return { state: { endpoint: null, isIpv6: null, hosts: null } }
  }),
}

/** One that is there stays as it is: it may have been enlarged. */
const ensureClaim = async ({ site, namespace }: HostWork, trace: Trace, claim: KubernetesObject): Promise<void> => {
  const resource = volumeClaims(namespace)
  const found = await site.client.get(resource, claim.metadata.name)
  if (found !== undefined) requireOwned(site, found)
  if (found !== undefined && isTerminating(found)) throw new Pending(`${nameOf(site, found)} to be gone`)
  trace.made(refOf(site, found ?? (await site.client.apply(resource, claim))))
}

/** Volume claims for etcd. They are not waited for: many classes provision only when a pod asks. */
const ensureClaims = async (work: HostWork, trace: Trace): Promise<void> => {
  if ((await missingClaims(work)).length > 0) await requireStorageClass(work.site.client, work.plan.properties)
  for (const claim of claimManifests(work.plan)) await ensureClaim(work, trace, claim)
}

const dropClaims = (context: FederationContext): Promise<StepResult> =>
  step(async () => {
    const work = await hostWork(context)
    await removeSelected(work, [volumeClaims(work.namespace)], claimSelector(work))
    return {}
  })

export const storagePhase: Phase<FederationContext> = {
  id: 'storage',
  title: 'storage',
  deadlineSeconds: 120,
  ensure: inHost(async (work, trace) => {
    await ensureClaims(work, trace)
    return {}
  }),
  undo: dropClaims,
}

/** At a delete: the volumes go too, unless `keep-data` says that they stay. */
export const dropStorage = async (context: FederationContext): Promise<StepResult> => {
  const work = await hostWork(context)
  if (!work.plan.properties.keepData) return dropClaims(context)
  return { done: true, leftovers: (await ownClaims(work)).map((claim) => refOf(work.site, claim)) }
}
