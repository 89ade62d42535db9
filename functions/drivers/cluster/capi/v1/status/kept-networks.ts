import * as z from 'zod'
import type { Labels } from '../../../../../core/values/labels.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { clusterValues } from '../labels.ts'
import { podsCidr } from '../pods-network.ts'
import { networkDriverOf } from '../render/network-driver.ts'

const Blocks = z.object({ cidrBlocks: z.array(z.string()).default([]) }).prefault({})
const Networked = z.object({ clusterNetwork: z.object({ pods: Blocks, services: Blocks }).optional() })

/**
 * Whole sentences about networks that labels name and the cluster has not: those of an upgrade's template, which its labels follow. Networks stay as they were
 * made.
 */
export const keptNetworks = (object: KubernetesObject | undefined, labels: Labels): string[] => {
  const network = Networked.safeParse(object?.spec ?? {}).data?.clusterNetwork
  if (network === undefined) return []
  const values = clusterValues(labels)
  const wanted = [
    ['Services', values.service_cluster_ip_range, network.services.cidrBlocks],
    ['pods', podsCidr(values, networkDriverOf({ previous: object, template: null })), network.pods.cidrBlocks],
  ] as const
  return wanted.flatMap(([whose, cidr, [own]]) =>
    own === undefined || own === cidr
      ? []
      : [`The network of ${whose} is ${own}, as the cluster was made, and not ${cidr}, which its labels come to.`],
  )
}
