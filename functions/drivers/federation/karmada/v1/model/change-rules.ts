import type { Properties } from '../../../../contract/federation-driver-description.ts'
import {
  API_LOAD_BALANCER_CLASS,
  API_NODE_PORT,
  API_PORT,
  API_SERVICE_TYPE,
  CLUSTER_DOMAIN,
  defaultOf,
  ETCD_IMAGE_TAG,
  KARMADA_IMAGE_TAG,
  KUBE_IMAGE_TAG,
  MEMBER_CLUSTER_ROLE,
  NAMESPACE,
  REPLICAS,
  STORAGE_CLASS,
  STORAGE_SIZE,
  textOf,
} from './properties.ts'

type TagKey = typeof KARMADA_IMAGE_TAG | typeof KUBE_IMAGE_TAG | typeof ETCD_IMAGE_TAG
type Version = { minor: number; patch: number }
type Rule = { form: RegExp; isSupported(version: Version): boolean; range: string }

/** Minors of Kubernetes that Karmada 1.18 is built for or tested with as its API server. */
const KUBE_MINOR_MIN = 33
const KUBE_MINOR_MAX = 36
/** The driver's CRDs and facts are of this one. */
const KARMADA_MINOR = 18
const KARMADA_PATCH_MIN = 2
const ETCD_MINOR = 6

const RULES: Readonly<Record<TagKey, Rule>> = {
  [KARMADA_IMAGE_TAG]: {
    form: /^v1\.(\d{1,3})\.(\d{1,3})(-[A-Za-z0-9._-]{1,60})?$/,
    isSupported: ({ minor, patch }) => minor === KARMADA_MINOR && patch >= KARMADA_PATCH_MIN,
    range: 'v1.18.2 or a later patch of 1.18',
  },
  [KUBE_IMAGE_TAG]: {
    form: /^v1\.(\d{1,3})\.(\d{1,3})(-[A-Za-z0-9._-]{1,60})?$/,
    isSupported: ({ minor }) => minor >= KUBE_MINOR_MIN && minor <= KUBE_MINOR_MAX,
    range: `v1.${KUBE_MINOR_MIN} to v1.${KUBE_MINOR_MAX}, for example v1.35.2`,
  },
  [ETCD_IMAGE_TAG]: {
    form: /^v?3\.(\d{1,3})\.(\d{1,3})(-[A-Za-z0-9._-]{1,60})?$/,
    isSupported: ({ minor }) => minor === ETCD_MINOR,
    range: `3.${ETCD_MINOR}, for example 3.6.6-0`,
  },
}

const KEYS = [KARMADA_IMAGE_TAG, KUBE_IMAGE_TAG, ETCD_IMAGE_TAG] as const

const versionOf = (key: TagKey, tag: string): Version | undefined => {
  const [, minor, patch] = RULES[key].form.exec(tag) ?? []
  return minor === undefined || patch === undefined ? undefined : { minor: Number(minor), patch: Number(patch) }
}

/** One sentence for each tag that is not of a supported version. */
export const tagFaults = (properties: Properties): string[] =>
  KEYS.flatMap((key) => {
    const tag = textOf(properties, key)
    const version = versionOf(key, tag)
    if (version !== undefined && RULES[key].isSupported(version)) return []
    return [`Property ${key}: '${tag}' is not supported; this driver runs ${RULES[key].range}.`]
  })

const changeFault = (key: TagKey, before: Version, after: Version): string[] => {
  if (after.minor < before.minor) {
    return [
      `Property ${key} can't go back to an older minor version: the stored data may not be readable for it. Keep the newer one.`,
    ]
  }
  if (after.minor > before.minor + 1) {
    return [`Property ${key} goes up by one minor version at a time. Update to 1.${before.minor + 1} first.`]
  }
  return []
}

/** What keeps one tag from following another. */
const tagChangeFaults = (before: Properties, after: Properties): string[] =>
  KEYS.flatMap((key) => {
    const [from, to] = [versionOf(key, textOf(before, key)), versionOf(key, textOf(after, key))]
    return from === undefined || to === undefined ? [] : changeFault(key, from, to)
  })

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
