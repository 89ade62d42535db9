import { type MemberCredential, operationOf } from '../../../../../core/membership/membership.ts'
import { Secret } from '../../../../../core/values/secret.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { clusterRoleBindings, clusterRoles, serviceAccounts } from '../../../../../kubernetes/resources.ts'
import { DAY_MS } from '../../../../../x509/certificate.ts'
import type { MemberContext, PrepareResult } from '../../../../contract/federation-driver.ts'
import {
  accountUser,
  bindingManifest,
  ensureBinding,
  ensureMemberNamespace,
  ensureServiceAccount,
} from '../../../../support/member/account.ts'
import { missingOf, tokenFaults } from '../../../../support/member/made.ts'
import { obtainToken } from '../../../../support/member/obtain-token.ts'
import { memberObjectName, tokenSecrets } from '../../../../support/member/tokens.ts'
import { ensureOwned, memberSite, ownerLabels, refOf, removeOwned, type Site } from '../../../../support/owned.ts'
import { settleAll, step, type Trace } from '../../../../support/step.ts'
import { type KarmadaOptions, MemberNameTaken } from '../model/options.ts'
import { parseProperties } from '../model/properties.ts'
import {
  CLUSTER_NAME_LABEL,
  type Claims,
  holderOfName,
  type ImpersonatorOwner,
  impersonatorOwner,
  nameTaken,
  readClaims,
} from './claims.ts'
import { peerOf, sealedCredential, storedCredential } from './manifests.ts'
import { IMPERSONATOR } from './names.ts'

/** As Karmada's own join grants: objects of every kind that users spread, and the member's health and APIs. */
export const roleManifest = (federationId: string): Manifest<'ClusterRole'> => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: memberObjectName(federationId), labels: ownerLabels(federationId) },
  rules: [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['get'] },
  ],
})

/** Binds the control plane's account to a role of the member's, or to one of our own that may do everything. */
const ensureRights = async (site: Site, trace: Trace, role: string | null): Promise<void> => {
  const name = role ?? memberObjectName(site.federationId)
  const bind = () => ensureBinding(site, trace, name)
  if (role !== null) return bind()
  trace.made(refOf(site, await ensureOwned(site, clusterRoles, roleManifest(site.federationId))))
  await bind()
}

/** What is missing or changed in the member: rights, and what the stored token proves of its account. What the control plane has, it says itself. */
export const observeMade = async (context: MemberContext): Promise<readonly string[]> => {
  const { id } = context.federation
  const { memberClusterRole } = parseProperties(context.federation.properties)
  const name = memberObjectName(id)
  const own = { resource: clusterRoles, desired: roleManifest(id) }
  const binding = { resource: clusterRoleBindings, desired: bindingManifest(id, memberClusterRole ?? name) }
  const [rights, ...tokens] = await settleAll([
    async () => missingOf(await memberSite(context), memberClusterRole === null ? [own, binding] : [binding]),
    async () => tokenFaults(context, await storedToken(context, name), accountUser(id)),
    async () => tokenFaults(context, await storedToken(context, IMPERSONATOR), accountUser(id, IMPERSONATOR)),
  ])
  return [...rights, ...tokens.flat()]
}

type Token = MemberCredential & { token: Secret }

/** Days until a token of a Secret is renewed. It does not expire, so this is for copies of it that nobody knows of. */
const TOKEN_DAYS = 30

const earliest = (times: readonly (string | null)[]): string | null =>
  times.filter((time) => time !== null).toSorted()[0] ?? null

type Preparing = {
  context: MemberContext
  site: Site
  trace: Trace
  options: KarmadaOptions
  /** This run made the federation's namespace in the member. */
  isNamespaceNew: boolean
}

/** The account's token of an earlier run. */
const storedToken = async (context: MemberContext, account: string): Promise<Secret | undefined> => {
  const stored = await storedCredential(context)
  const text = account === IMPERSONATOR ? stored?.impersonatorToken : stored?.token
  return text === undefined || text === null ? undefined : new Secret(text)
}

/** A proved token of one account. */
const tokenOf = (
  { context, site, trace, options, isNamespaceNew }: Preparing,
  account: string,
  existing: readonly KubernetesObject[],
): Promise<Token> =>
  obtainToken(context, site, trace, {
    account,
    existing,
    isNamespaceNew,
    timeoutSeconds: options.tokenTimeoutSeconds,
    stored: () => storedToken(context, account),
    user: accountUser(site.federationId, account),
    proofTimeoutSeconds: options.proofTimeoutSeconds,
  })

/** When to renew: with the first token that expires, else in a month of when the tokens were made. */
const lifeOf = ({ membership, now }: MemberContext, tokens: readonly Token[]): MemberCredential => {
  if (tokens.some(({ kind }) => kind === 'token-request')) {
    return {
      kind: 'token-request',
      expiresAt: earliest(tokens.map(({ expiresAt }) => expiresAt)),
      renewAfter: earliest(tokens.map(({ renewAfter }) => renewAfter)),
    }
  }
  const known = operationOf(membership)?.kind === 'rotate' ? null : membership.credential
  const renewAfter = new Date(new Date(now()).getTime() + TOKEN_DAYS * DAY_MS).toISOString()
  return known?.kind === 'token-secret' ? known : { kind: 'token-secret', expiresAt: null, renewAfter }
}

const credentialOf = (context: MemberContext, own: Token, impersonator: Token | null): Token => {
  const tokens = impersonator === null ? [own] : [own, impersonator]
  const { kind, expiresAt, renewAfter } = lifeOf(context, tokens)
  const token = sealedCredential({
    token: own.token.reveal(),
    caBundle: peerOf(context.member.cluster).caBundle,
    impersonatorToken: impersonator?.token.reveal() ?? null,
  })
  return { kind, expiresAt, renewAfter, token }
}

/** @throws MemberNameTaken */
const requireName = async ({ membership: { memberName } }: MemberContext, site: Site): Promise<Claims> => {
  const claims = await readClaims(site.client)
  const holder = await holderOfName(site, claims, memberName)
  if (holder !== undefined) throw new MemberNameTaken(nameTaken(memberName, holder))
  return claims
}

/** The accounts that this federation needs, which also tell others that it has the member. */
const ensureAccounts = async (
  { context, site, trace, isNamespaceNew }: Preparing,
  owner: ImpersonatorOwner,
): Promise<void> => {
  const labels = { [CLUSTER_NAME_LABEL]: context.membership.memberName }
  await settleAll([
    () => ensureServiceAccount(site, trace, { labels, isNamespaceNew }),
    ...(owner === 'foreign'
      ? []
      : [() => ensureServiceAccount(site, trace, { account: IMPERSONATOR, isNamespaceNew })]),
  ])
}

/**
 * Makes the accounts and says whose `clusters/proxy` is. That is known only with the own accounts in place: of two that join at the same moment one
 * sees the other. An account for it that was made in vain goes again.
 */
const claim = async (preparing: Preparing): Promise<ImpersonatorOwner> => {
  const { context, site, isNamespaceNew } = preparing
  const before = isNamespaceNew ? 'free' : await impersonatorOwner(site, await readClaims(site.client))
  await ensureAccounts(preparing, before)
  const owner = await impersonatorOwner(site, await requireName(context, site))
  if (owner === 'foreign') await removeOwned(site, serviceAccounts(memberObjectName(site.federationId)), IMPERSONATOR)
  return owner
}

/**
 * The control plane's accounts in the member, their rights, and proved tokens for them. Where another Karmada has the impersonator, there is none
 * for this federation. With a rotation under way new tokens are made beside the old ones, which work until `registerMember` has put the new ones in
 * force.
 */
export const prepareMember = (context: MemberContext, options: KarmadaOptions): Promise<PrepareResult> =>
  step(async (trace) => {
    const site = await memberSite(context)
    const { memberClusterRole } = parseProperties(context.federation.properties)
    const isNamespaceNew = await ensureMemberNamespace(site, trace)
    const preparing = { context, site, trace, options, isNamespaceNew }
    const owner = await claim(preparing)
    const [existing] = await settleAll([
      async () => (isNamespaceNew ? [] : tokenSecrets(site)),
      () => ensureRights(site, trace, memberClusterRole),
    ])
    const [own, impersonator] = await settleAll([
      () => tokenOf(preparing, memberObjectName(site.federationId), existing),
      async () => (owner === 'foreign' ? null : tokenOf(preparing, IMPERSONATOR, existing)),
    ])
    return { credential: credentialOf(context, own, impersonator) }
  })
