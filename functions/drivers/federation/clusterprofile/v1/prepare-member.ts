import { type MemberCredential, operationOf } from '../../../../domain/membership.ts'
import type { Secret } from '../../../../domain/secret.ts'
import { secrets } from '../../../../kubernetes/resources.ts'
import type { MemberContext, PrepareResult } from '../../../contract/federation-driver.ts'
import { ensureOwned, refOf, removeOwned, type Site } from '../../../support/owned.ts'
import { NotYet, step, type Trace } from '../../../support/step.ts'
import { clusterTime } from '../../../support/who-am-i.ts'
import { memberSite } from './host/site.ts'
import { accountUser, ensureAccount } from './member/account.ts'
import { proveToken } from './member/prove.ts'
import { requestToken } from './member/token-request.ts'
import { tokenIn, tokenSecretManifest, tokenSecretName, tokenSecrets } from './member/token-secret.ts'
import { memberObjectName } from './names.ts'
import type { ClusterProfileOptions } from './options.ts'
import { parseProperties } from './schema.ts'

type Credential = MemberCredential & { token: Secret }

/** The stored token of an earlier run, while it needs no renewal. */
const storedRequest = async (context: MemberContext): Promise<Credential | undefined> => {
  const { credential } = context.membership
  if (credential?.kind !== 'token-request' || operationOf(context.membership)?.kind === 'rotate') return undefined
  if (credential.renewAfter === null || credential.renewAfter <= context.now()) return undefined
  const token = await context.memberToken()
  return token === undefined ? undefined : { ...credential, token }
}

/**
 * The token of a Secret that the member's token controller fills. Undefined when it does not within `patienceSeconds` (no controller
 * runs): then the empty Secret is removed.
 */
const tokenFromSecret = async (
  context: MemberContext,
  site: Site,
  trace: Trace,
  patienceSeconds: number,
): Promise<Secret | undefined> => {
  const namespace = memberObjectName(site.federationId)
  const name = tokenSecretName(context, await tokenSecrets(site))
  const secret = await ensureOwned(site, secrets(namespace), tokenSecretManifest(site.federationId, name))
  const token = tokenIn(secret)
  if (token !== undefined) {
    trace.made(refOf(site, secret))
    return token
  }
  const since = new Date(secret.metadata.creationTimestamp ?? context.now())
  const age = ((await clusterTime(site.client, context.now())).getTime() - since.getTime()) / 1000
  if (age < patienceSeconds) throw new NotYet(`the token controller of the member to fill Secret ${namespace}/${name}`)
  await removeOwned(site, secrets(namespace), name)
  return undefined
}

/** Where no token controller was running when the credential was made, no rotation waits for one again. */
const obtain = async (
  context: MemberContext,
  site: Site,
  trace: Trace,
  options: ClusterProfileOptions,
): Promise<Credential> => {
  const stored = await storedRequest(context)
  if (stored !== undefined) return stored
  if (context.membership.credential?.kind !== 'token-request') {
    const token = await tokenFromSecret(context, site, trace, options.tokenPatienceSeconds)
    if (token !== undefined) return { kind: 'token-secret', expiresAt: null, renewAfter: null, token }
  }
  return requestToken(site.client, site.federationId, context.now())
}

/**
 * Account, rights and a proved credential in the member. With a rotation under way it makes a new credential beside the old one, which
 * works until `registerMember` has published the new one.
 */
export const prepareMember = (context: MemberContext, options: ClusterProfileOptions): Promise<PrepareResult> =>
  step(async (trace) => {
    const site = await memberSite(context)
    await ensureAccount(site, trace, parseProperties(context.federation.properties).memberRole)
    const credential = await obtain(context, site, trace, options)
    await proveToken(context, {
      token: credential.token,
      user: accountUser(context.federation.id),
      patienceSeconds: options.proofPatienceSeconds,
    })
    return { credential }
  })
