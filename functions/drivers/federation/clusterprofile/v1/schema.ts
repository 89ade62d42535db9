import { shortId } from '../../../../core/values/ids.ts'
import { isDnsLabel, isRoleName } from '../../../../core/values/kubernetes.ts'
import type { FederationRights, PropertyDescription } from '../../../contract/federation-driver-description.ts'
import { MARK_PROPERTIES, markFaults } from '../../../contract/object-marks.ts'

export const MEMBER_ROLE = 'member-role'
export const CONSUMER_NAMESPACES = 'consumer-namespaces'

/** Each member writes two objects into each of them; more is more likely a mistake than a request. */
const CONSUMER_NAMESPACES_MAX = 20

const DEFAULT_MEMBER_ROLE = 'view'

export const PROPERTIES: readonly PropertyDescription[] = [
  {
    key: MEMBER_ROLE,
    description: 'ClusterRole that consumers of the inventory have in each member. It must exist in the member.',
    default: DEFAULT_MEMBER_ROLE,
  },
  {
    key: CONSUMER_NAMESPACES,
    description:
      'Namespaces of the host, separated by commas, in which every member is published as well, for consumers that read only ' +
      'their own, for example kueue-system,argocd. They must exist. Who reads Secrets there can act in the members.',
    default: null,
  },
  ...MARK_PROPERTIES,
]

type ClusterProfileProperties = { memberRole: string; consumerNamespaces: string[] }

type Properties = Readonly<Record<string, string>>

const namespacesOf = (properties: Properties): string[] => {
  const text = properties[CONSUMER_NAMESPACES] ?? ''
  return text.trim() === '' ? [] : [...new Set(text.split(',').map((name) => name.trim()))]
}

/** The driver's options, with defaults; of properties that `faultsOf` finds good. Empty text counts as absent. */
export const parseProperties = (properties: Properties): ClusterProfileProperties => ({
  memberRole: properties[MEMBER_ROLE] || DEFAULT_MEMBER_ROLE,
  consumerNamespaces: namespacesOf(properties),
})

/**
 * Members give the ClusterRole that is asked for; another than `view` and `edit` may be anything. In the host the driver writes objects of its own
 * shapes only, so that nobody gets more there than who may edit.
 */
export const rightsOf = (properties: Properties): FederationRights => {
  const { memberRole } = parseProperties(properties)
  return { host: 'edit', member: memberRole === 'view' || memberRole === 'edit' ? memberRole : 'more' }
}

/** Namespaces of Kubernetes itself, and our own. */
const RESERVED = /^(kube|fedplane)-/

const namespaceFault = (name: string): string[] => {
  if (!isDnsLabel(name)) {
    const rule = 'at most 63 lower-case letters, digits and hyphens, beginning and ending with a letter or digit'
    return [`Property ${CONSUMER_NAMESPACES}: '${name}' is not the name of a namespace (${rule}).`]
  }
  if (!RESERVED.test(name)) return []
  return [
    `Property ${CONSUMER_NAMESPACES}: '${name}' is reserved; names beginning with kube- or fedplane- are refused.`,
  ]
}

/** One sentence for each fault of the driver's own properties. */
export const faultsOf = (properties: Properties): string[] => {
  const { memberRole, consumerNamespaces } = parseProperties(properties)
  const role = isRoleName(memberRole)
    ? []
    : [`Property ${MEMBER_ROLE}: '${memberRole}' is not the name of a ClusterRole, for example view.`]
  const many =
    consumerNamespaces.length > CONSUMER_NAMESPACES_MAX
      ? [
          `Property ${CONSUMER_NAMESPACES} names ${consumerNamespaces.length} namespaces; ${CONSUMER_NAMESPACES_MAX} are allowed.`,
        ]
      : []
  return [...role, ...many, ...consumerNamespaces.flatMap(namespaceFault), ...markFaults(properties)]
}

/** Namespace of the inventory in the host: not the one in members, because the host can be a member too. */
export const inventoryNamespace = (federationId: string): string => `fedplane-${shortId(federationId)}-inventory`
