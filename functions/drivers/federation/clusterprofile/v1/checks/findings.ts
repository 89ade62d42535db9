import { listInWords } from '../../../../../core/values/wording.ts'
import type { Access } from '../../../../../kubernetes/access-review.ts'
import { editingBindings } from '../../../../../kubernetes/editing-people.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import type { Finding, MemberContext } from '../../../../contract/federation-driver.ts'
import { accessTo, errorFinding, warningFinding } from '../../../../support/findings.ts'
import { isOwned, listAll, nameOf, type Site } from '../../../../support/owned.ts'
import { findServedVersion } from '../host/inventory.ts'
import { MEMBER_ID_LABEL, type Placement, PROFILE_GROUP, profiles } from '../names.ts'
import { CONSUMER_NAMESPACES } from '../schema.ts'

/** Those of the names that are no namespace of the host. */
export const missingNamespaces = async ({ client }: Site, names: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(names.map((name) => client.get(namespaces, name)))
  return names.filter((_, index) => found[index] === undefined)
}

/** The refusal to publish in a namespace that is not there: it is the operator's, never made by us. */
export const missingFinding = (namespace: string): Finding =>
  errorFinding(
    'ConsumerNamespaceMissing',
    `Namespace ${namespace} does not exist in the host. Make it, or change property ${CONSUMER_NAMESPACES}.`,
  )

/**
 * Namespaces in which people edit with kubeconfigs that fedplane issued, also for other registrations of the host: they would read the members' tokens.
 * Those of this registration were refused before, with until when.
 */
export const editedFindings = async ({ client }: Site, names: readonly string[]): Promise<Finding[]> => {
  const bindings = await Promise.all(names.map((name) => editingBindings(client, name)))
  return names.flatMap((name, index) => {
    const found = bindings[index] ?? []
    if (found.length === 0) return []
    return errorFinding(
      'PeopleEditInNamespace',
      `In namespace ${name} of the host people can edit with kubeconfigs that fedplane issued (RoleBinding ${listInWords(found, 5)}), and would read the members' tokens. Wait until these have expired, or change property ${CONSUMER_NAMESPACES}.`,
    )
  })
}

/** Everything that the driver does in a host, so that nothing is refused half-way (cases/JN-11). */
export const accessInHost = (namespace: string, consumers: readonly string[]): Access[] => [
  ...accessTo(['get', 'create', 'patch', 'delete'], { group: '', resource: 'namespaces' }),
  ...accessTo(['get', 'create', 'patch'], { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }),
  ...accessTo(['get', 'list', 'create', 'patch', 'delete'], { group: PROFILE_GROUP, resource: 'clusterprofiles' }),
  ...accessTo(['patch'], { group: PROFILE_GROUP, resource: 'clusterprofiles/status' }),
  ...accessTo(['get', 'list', 'create', 'patch', 'delete'], { group: '', resource: 'secrets' }),
  ...accessTo(['get', 'create', 'patch', 'delete'], {
    group: 'rbac.authorization.k8s.io',
    resource: 'roles',
    namespace,
  }),
  ...consumers.flatMap((consumer) =>
    accessTo(['list'], { group: 'rbac.authorization.k8s.io', resource: 'rolebindings', namespace: consumer }),
  ),
]

/** Everything that the driver does in a member. Binding a role needs `bind` on it, or all that it allows; the first can be asked. */
export const accessInMember = (namespace: string, role: string): Access[] => [
  ...accessTo(['get', 'create', 'patch', 'delete'], { group: '', resource: 'namespaces' }),
  ...accessTo(['get', 'create', 'patch', 'delete'], { group: '', resource: 'serviceaccounts', namespace }),
  ...accessTo(['create'], { group: '', resource: 'serviceaccounts/token', namespace }),
  ...accessTo(['get', 'list', 'create', 'patch', 'delete'], { group: '', resource: 'secrets', namespace }),
  ...accessTo(['get', 'create', 'patch', 'delete'], {
    group: 'rbac.authorization.k8s.io',
    resource: 'clusterrolebindings',
  }),
  ...accessTo(['bind'], { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: role }),
]

/**
 * A consumer namespace already has a profile about this member, of another federation or manager. Allowed, but consumers may take only
 * the oldest (Argo CD) or refuse both.
 */
export const duplicateFindings = async (
  { member }: MemberContext,
  site: Site,
  consumers: readonly Placement[],
): Promise<Finding[]> => {
  const uid = member.cluster.identity?.uid
  const version = await findServedVersion(site.client)
  if (uid === undefined || version === undefined) return []
  const selector = `${MEMBER_ID_LABEL}=${uid}`
  const found = await Promise.all(
    consumers.map(({ namespace }) => listAll(site.client, profiles(version, namespace), selector)),
  )
  return found
    .flat()
    .filter((profile) => !isOwned(site, profile))
    .map((profile) =>
      warningFinding(
        'MemberPublishedTwice',
        `${nameOf(site, profile)} is about the same cluster; consumers may use only the older of two.`,
      ),
    )
}
