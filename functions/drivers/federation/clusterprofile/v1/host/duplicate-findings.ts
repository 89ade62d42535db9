import type { Finding, MemberContext } from '../../../../contract/federation-driver.ts'
import { warningFinding } from '../../../../support/findings.ts'
import { isOwned, listAll, nameOf, type Site } from '../../../../support/owned.ts'
import { MEMBER_ID_LABEL, type Placement, profiles } from '../names.ts'
import { findServedVersion } from './served-version.ts'

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
