import { SERVICES, serviceSpec } from '../builtin/service.ts'
import type { Cluster } from '../cluster.ts'
import { finishDeletion } from '../deletion.ts'
import type { ApiObject } from '../types.ts'
import { patchStored } from './patch-stored.ts'

/** Keeps a Service until its load balancer is gone, as cloud providers' controllers do. */
const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup'

const release = (cluster: Cluster, service: ApiObject): void => {
  const finalizers = (service.metadata.finalizers ?? []).filter((name) => name !== FINALIZER)
  const metadata = { ...service.metadata, finalizers }
  finishDeletion(cluster, SERVICES, patchStored(cluster, SERVICES, service, { metadata }))
}

const balance = (cluster: Cluster, service: ApiObject): void => {
  const address = cluster.behaviour.balancerAddress(service)
  if (address === undefined) return
  const finalizers = [...new Set([...(service.metadata.finalizers ?? []), FINALIZER])]
  patchStored(cluster, SERVICES, service, {
    metadata: { ...service.metadata, finalizers },
    status: { loadBalancer: { ingress: ['ip' in address ? { ...address, ipMode: 'VIP' } : address] } },
  })
}

/** Gives Services of type LoadBalancer their address, and lets deleted ones go. */
export const serviceController = (cluster: Cluster): void => {
  for (const service of cluster.store.list(SERVICES)) {
    if (service.metadata.deletionTimestamp !== undefined) release(cluster, service)
    else if (serviceSpec(service).type === 'LoadBalancer') balance(cluster, service)
  }
}
