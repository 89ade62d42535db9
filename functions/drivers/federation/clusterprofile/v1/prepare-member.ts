import type { MemberContext, PrepareResult } from '../../../contract/federation-driver.ts'
import {
  accountUser,
  ensureBinding,
  ensureMemberNamespace,
  ensureServiceAccount,
} from '../../../support/member/account.ts'
import { memberObjectName } from '../../../support/member/names.ts'
import { obtainToken } from '../../../support/member/obtain-token.ts'
import { tokenSecrets } from '../../../support/member/token-secret.ts'
import { memberSite } from '../../../support/sites.ts'
import { step } from '../../../support/step.ts'
import type { ClusterProfileOptions } from './options.ts'
import { parseProperties } from './schema.ts'

/**
 * Account, rights and a proved credential in the member. With a rotation under way it makes a new credential beside the old one, which
 * works until `registerMember` has published the new one.
 */
export const prepareMember = (context: MemberContext, options: ClusterProfileOptions): Promise<PrepareResult> =>
  step(async (trace) => {
    const site = await memberSite(context)
    await ensureMemberNamespace(site, trace)
    await ensureServiceAccount(site, trace)
    await ensureBinding(site, trace, parseProperties(context.federation.properties).memberRole)
    const credential = await obtainToken(context, site, trace, {
      account: memberObjectName(context.federation.id),
      existing: await tokenSecrets(site),
      patienceSeconds: options.tokenPatienceSeconds,
      stored: () => context.memberToken(),
      user: accountUser(context.federation.id),
      proofPatienceSeconds: options.proofPatienceSeconds,
    })
    return { credential }
  })
