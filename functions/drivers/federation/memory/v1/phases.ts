import { Secret } from '../../../../core/values/secret.ts'
import type { FederationContext } from '../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../contract/phase.ts'
import { controlPlaneOf, namespaceOf, optionsOf, simulate } from './simulate.ts'
import type { MemoryWorld } from './world.ts'

/** Name of the sealed document. */
const CERTIFICATES = 'certificates'

/** What the document says: which set of certificates it is, and in which rotation it was made. */
type Certificates = { serial: number; madeIn: string | null }

const read = async ({ sealed }: FederationContext): Promise<Certificates | undefined> => {
  const secret = await sealed(CERTIFICATES)
  return secret === undefined ? undefined : (JSON.parse(secret.reveal()) as Certificates)
}

/** Renewal is due after two thirds of their life. */
const renewAfter = (context: FederationContext): string | null => {
  const lifetime = optionsOf(context)['memory-certificate-seconds']
  return lifetime === undefined
    ? null
    : new Date(Date.parse(context.now()) + Math.ceil((lifetime * 2) / 3) * 1000).toISOString()
}

const made = (context: FederationContext, certificates: Certificates): Partial<StepResult> => ({
  sealed: { [CERTIFICATES]: new Secret(JSON.stringify(certificates)) },
  renewAfter: renewAfter(context),
})

/** Certificates for a control plane that has none. */
const firstCertificates = async (context: FederationContext): Promise<Partial<StepResult>> =>
  (await read(context)) === undefined ? made(context, { serial: 1, madeIn: null }) : {}

/** New ones in the place of the old, once in each rotation. */
const nextCertificates = async (context: FederationContext): Promise<Partial<StepResult>> => {
  const before = await read(context)
  const rotation = context.federation.operation?.id ?? null
  return before !== undefined && before.madeIn === rotation
    ? {}
    : made(context, { serial: (before?.serial ?? 0) + 1, madeIn: rotation })
}

/** Forgets them. */
const noCertificates: Partial<StepResult> = { sealed: { [CERTIFICATES]: null }, renewAfter: null }

type FederationPhase = Phase<FederationContext>

/** Key in `driverState` for when the control plane began to come up. */
const SINCE = 'memory-since'

const secondsSince = (context: FederationContext): number | null => {
  const since = context.federation.driverState[SINCE]
  return typeof since === 'string' ? (Date.parse(context.now()) - Date.parse(since)) / 1000 : null
}

const namespacePhase = (world: MemoryWorld): FederationPhase => ({
  id: 'namespace',
  title: 'namespace',
  deadlineSeconds: 60,
  ensure: (context) =>
    simulate(world, context, { name: 'ensure:namespace', act: 'namespace' }, () => ({
      done: true,
      made: [world.put(context.federation.hostClusterId, namespaceOf(context))],
    })),
  undo: (context) =>
    simulate(world, context, { name: 'undo:namespace', act: '' }, () => {
      world.remove(context.federation.hostClusterId, namespaceOf(context))
      return { done: true }
    }),
})

const comeUp = async (context: FederationContext, world: MemoryWorld): Promise<StepResult> => {
  const made = [world.put(context.federation.hostClusterId, controlPlaneOf(context))]
  const certificates = await firstCertificates(context)
  const delay = optionsOf(context)['memory-delay-seconds'] ?? 0
  const passed = secondsSince(context)
  if ((passed ?? 0) >= delay) return { ...certificates, done: true, made }
  return {
    ...certificates,
    done: false,
    waitingFor: `the control plane to come up (${delay} s)`,
    made,
    ...(passed === null && { state: { [SINCE]: context.now() } }),
  }
}

const controlPlanePhase = (world: MemoryWorld): FederationPhase => ({
  id: 'control-plane',
  title: 'control plane',
  deadlineSeconds: 900,
  ensure: (context) =>
    simulate(world, context, { name: 'ensure:control-plane', act: 'control-plane' }, () => comeUp(context, world)),
  undo: (context) =>
    simulate(world, context, { name: 'undo:control-plane', act: '' }, () => {
      world.remove(context.federation.hostClusterId, controlPlaneOf(context))
      return { ...noCertificates, done: true, state: { [SINCE]: null } }
    }),
})

const verifyPhase = (world: MemoryWorld): FederationPhase => ({
  id: 'verify',
  title: 'verification',
  deadlineSeconds: 60,
  ensure: (context) => simulate(world, context, { name: 'ensure:verify', act: 'verify' }, () => ({ done: true })),
})

const propertiesPhase = (world: MemoryWorld): FederationPhase => ({
  id: 'properties',
  title: 'properties',
  deadlineSeconds: 60,
  ensure: (context) =>
    simulate(world, context, { name: 'ensure:properties', act: 'properties' }, () => ({
      done: true,
      state: { 'memory-properties': { ...context.federation.properties } },
    })),
})

const certificatesPhase = (world: MemoryWorld): FederationPhase => ({
  id: 'certificates',
  title: 'certificates',
  deadlineSeconds: 60,
  ensure: (context) =>
    simulate(world, context, { name: 'ensure:certificates', act: 'certificates' }, async () => ({
      ...(await nextCertificates(context)),
      done: true,
    })),
})

const removal = (world: MemoryWorld, phase: FederationPhase): FederationPhase => ({
  id: `remove-${phase.id}`,
  title: `remove ${phase.title}`,
  deadlineSeconds: 60,
  ensure: (context) =>
    simulate(world, context, { name: `ensure:remove-${phase.id}`, act: `remove-${phase.id}` }, async () => {
      return (await phase.undo?.(context)) ?? { done: true }
    }),
})

/** The plans of memory@1 over a world. */
export const memoryPhases = (world: MemoryWorld) => {
  const [namespace, controlPlane] = [namespacePhase(world), controlPlanePhase(world)]
  return {
    create: [namespace, controlPlane, verifyPhase(world)],
    update: [propertiesPhase(world)],
    delete: [removal(world, controlPlane), removal(world, namespace)],
    rotate: [certificatesPhase(world)],
  }
}
