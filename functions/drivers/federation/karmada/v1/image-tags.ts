import type { Properties } from '../../../contract/federation-driver-description.ts'
import { ETCD_IMAGE_TAG, KARMADA_IMAGE_TAG, KUBE_IMAGE_TAG } from './properties.ts'
import { textOf } from './schema.ts'

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
export const tagChangeFaults = (before: Properties, after: Properties): string[] =>
  KEYS.flatMap((key) => {
    const [from, to] = [versionOf(key, textOf(before, key)), versionOf(key, textOf(after, key))]
    return from === undefined || to === undefined ? [] : changeFault(key, from, to)
  })
