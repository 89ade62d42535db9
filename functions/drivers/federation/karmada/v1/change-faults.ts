import type { Properties } from '../../../contract/federation-driver-description.ts'
import { tagChangeFaults } from './image-tags.ts'
import {
  API_LOAD_BALANCER_CLASS,
  API_NODE_PORT,
  API_PORT,
  API_SERVICE_TYPE,
  CLUSTER_DOMAIN,
  defaultOf,
  MEMBER_CLUSTER_ROLE,
  NAMESPACE,
  REPLICAS,
  STORAGE_CLASS,
  STORAGE_SIZE,
} from './properties.ts'
import { textOf } from './schema.ts'

const NEW_ONE = 'Make a new federation with the other value, and join the members to it.'

/** Options that never change, each with the reason and what to do. */
const FIXED: Readonly<Record<string, string>> = {
  [NAMESPACE]: `etcd's volumes can't move to another namespace. ${NEW_ONE}`,
  [API_SERVICE_TYPE]: `the address of the API server is in every kubeconfig that was given out. To be found under another one, set api-endpoint.`,
  [API_PORT]: `the address of the API server is in every kubeconfig that was given out. To be found under another port, set api-endpoint.`,
  [API_NODE_PORT]: `the address of the API server is in every kubeconfig that was given out. To be found under another port, set api-endpoint.`,
  [API_LOAD_BALANCER_CLASS]: `Kubernetes does not let a Service change it. ${NEW_ONE}`,
  [STORAGE_CLASS]: `the volumes of etcd exist already. ${NEW_ONE}`,
  [STORAGE_SIZE]: `Kubernetes does not let a StatefulSet change it. Enlarge the PersistentVolumeClaims etcd-data-etcd-* in the host instead, where their StorageClass allows it.`,
  [CLUSTER_DOMAIN]: `certificates and etcd's members carry it. ${NEW_ONE}`,
  [MEMBER_CLUSTER_ROLE]: `members have been joined with the other role. ${NEW_ONE}`,
}

const textWith = (properties: Properties, key: string): string | null => properties[key]?.trim() || defaultOf(key)

/** What keeps a federation with the properties `before` from having `after`; one sentence each. */
export const changeFaults = (before: Properties, after: Properties): string[] => [
  ...Object.entries(FIXED)
    .filter(([key]) => textWith(before, key) !== textWith(after, key))
    .map(([key, reason]) => `Property ${key} can't change: ${reason}`),
  ...(textOf(before, REPLICAS) === '3' && textOf(after, REPLICAS) === '1'
    ? [`Property ${REPLICAS} can't go down from 3 to 1: etcd would lose the majority that holds the data. ${NEW_ONE}`]
    : []),
  ...tagChangeFaults(before, after),
]
