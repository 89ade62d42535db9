import type { Federation } from '../../../../../core/federation/federation.ts'
import { ownerLabels } from '../../../../support/owned.ts'
import { type KarmadaProperties, parseProperties } from '../schema.ts'
import { stateOf } from '../state.ts'

/** What the manifests of the host depend on, certificates aside. */
export type HostPlan = {
  federationId: string
  properties: KarmadaProperties
  /** The host gives its Services IPv6 addresses (first). */
  isIpv6: boolean
}

export const planOf = (federation: Pick<Federation, 'id' | 'properties' | 'driverState'>): HostPlan => ({
  federationId: federation.id,
  properties: parseProperties(federation.properties),
  isIpv6: stateOf(federation).isIpv6 ?? false,
})

/** Label of upstream's manifests, which its tools look for. */
const APP_LABEL = 'app'

/** Labels of a component's pods, and what selects them. */
export const componentLabels = (federationId: string, component: string): Record<string, string> => ({
  ...ownerLabels(federationId),
  [APP_LABEL]: component,
})

/** Selects the pods of a component, for lists. */
export const componentSelector = (federationId: string, component: string): string =>
  Object.entries(componentLabels(federationId, component))
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

/** Metadata of an object of the control plane in the host. */
export const metadataOf = ({ federationId, properties }: HostPlan, name: string, component = name) => ({
  name,
  namespace: properties.namespace,
  labels: componentLabels(federationId, component),
})

/**
 * All addresses of a pod, in the family of the host: kube-apiserver takes the address that it advertises from the same, and ends when that is of another
 * than its Services.
 */
export const anyAddress = ({ isIpv6 }: Pick<HostPlan, 'isIpv6'>): string => (isIpv6 ? '::' : '0.0.0.0')

/** The same in a URL. */
export const anyHost = (plan: Pick<HostPlan, 'isIpv6'>): string => (plan.isIpv6 ? '[::]' : '0.0.0.0')

/** `karmada-apiserver.federation-system.svc.cluster.local`. */
export const serviceHost = ({ properties }: Pick<HostPlan, 'properties'>, service: string): string =>
  `${service}.${properties.namespace}.svc.${properties.clusterDomain}`
