import { setTimeout } from 'node:timers/promises'
import { type MemberCredential, operationOf } from '../../../core/membership/membership.ts'
import type { Secret } from '../../../core/values/secret.ts'
import type { KubernetesClient, KubernetesObject } from '../../../kubernetes/client.ts'
import { CredentialRejected } from '../../../kubernetes/errors.ts'
import { secrets } from '../../../kubernetes/resources.ts'
import { CredentialMissing, CredentialNotProved } from '../../contract/errors.ts'
import type { MemberContext } from '../../contract/federation-driver.ts'
import { ensureOwned, ensureSeen, refOf, removeOwned, type Site } from '../owned.ts'
import { Pending, type Trace } from '../step.ts'
import { clusterTime, whoAmI } from '../who-am-i.ts'
import { askWithToken } from './ask-with-token.ts'
import { memberObjectName, requestToken, tokenIn, tokenSecretManifest, tokenSecretName } from './tokens.ts'

const RETRY_MILLISECONDS = 250

/** Who the cluster says the token is; asked again while it is refused, as a fresh one may be for a moment (cases/JN-19). */
const askUntil = async (client: KubernetesClient, deadline: number): Promise<string | null> => {
  for (;;) {
    try {
      return await whoAmI(client)
    } catch (error) {
      if (!(error instanceof CredentialRejected) || Date.now() >= deadline) throw error
      await setTimeout(RETRY_MILLISECONDS)
    }
  }
}

/**
 * Proves that the token is accepted, over the endpoint and CA that are stored for the member, and is the ServiceAccount's.
 *
 * @throws CredentialNotProved
 */
const proveToken = async (
  context: MemberContext,
  { token, user, timeoutSeconds }: { token: Secret; user: string; timeoutSeconds: number },
): Promise<void> => {
  const { name } = context.member.cluster
  try {
    const until = Date.now() + timeoutSeconds * 1000
    const seen = await askWithToken(context, token, (client) => askUntil(client, until))
    if (seen === undefined) {
      throw new CredentialMissing(`The endpoint of cluster ${name} is not known. Register the cluster first.`)
    }
    if (seen === null || seen === user) return
    throw new CredentialNotProved(
      `Cluster ${name} takes the new token of ${user} for ${seen}. Is there a proxy in front of it that replaces credentials?`,
    )
  } catch (cause) {
    if (!(cause instanceof CredentialRejected)) throw cause
    throw new CredentialNotProved(
      `Cluster ${name} still refuses the new token of ${user} ${timeoutSeconds} s after it was made. ` +
        'Compare the clocks of the cluster and of this service.',
      { cause },
    )
  }
}

/** Milliseconds between observations of a Secret that is being filled, and how long a call looks: a token controller takes some 20 ms. */
const POLL_MS = 30
const POLLS_MS = 400

/** Where the account's token is to come from. */
export type DesiredToken = {
  /** Name of the ServiceAccount, in the federation's namespace. */
  account: string
  /** Token Secrets that are in the member: see `tokenSecrets`. */
  existing: readonly KubernetesObject[]
  /** The federation's namespace was made just now, so that nothing else is in it. */
  isNamespaceNew?: boolean
  /** Seconds for the token controller to fill a Secret before a token is requested instead. */
  timeoutSeconds: number
  /** The account's token of an earlier run, if one is stored. */
  stored(): Promise<Secret | undefined>
  /** Who the member must say that the token is. */
  user: string
  /** Seconds in which the member must accept a new token. */
  proofTimeoutSeconds: number
}

type Credential = MemberCredential & { token: Secret }

/** The stored token of an earlier run, while it needs no renewal. */
const storedRequest = async (context: MemberContext, desired: DesiredToken): Promise<Credential | undefined> => {
  const { credential } = context.membership
  if (credential?.kind !== 'token-request' || operationOf(context.membership)?.kind === 'rotate') return undefined
  if (credential.renewAfter === null || credential.renewAfter <= context.now()) return undefined
  const token = await desired.stored()
  return token === undefined ? undefined : { ...credential, token }
}

/** The Secret as it is once it is filled, or after a short while. */
const filled = async (site: Site, secret: KubernetesObject, milliseconds: number): Promise<KubernetesObject> => {
  let seen = secret
  for (let left = milliseconds; tokenIn(seen) === undefined && left > 0; left -= POLL_MS) {
    await setTimeout(POLL_MS)
    seen = (await site.client.get(secrets(memberObjectName(site.federationId)), secret.metadata.name)) ?? seen
  }
  return seen
}

const tokenSecretOf = (
  context: MemberContext,
  site: Site,
  { account, existing, isNamespaceNew = false }: DesiredToken,
): Promise<KubernetesObject> => {
  const resource = secrets(memberObjectName(site.federationId))
  const name = tokenSecretName(context, existing, account)
  const manifest = tokenSecretManifest(site.federationId, name, account)
  const seen = existing.find(({ metadata }) => metadata.name === name)
  // One that is not on the list may be somebody else's.
  return seen === undefined && !isNamespaceNew
    ? ensureOwned(site, resource, manifest)
    : ensureSeen(site, resource, manifest, seen)
}

/**
 * The token of a Secret that the member's token controller fills. Undefined when it does not within the patience (no controller runs): then
 * the empty Secret is removed.
 *
 * @throws Pending
 */
const tokenFromSecret = async (
  context: MemberContext,
  site: Site,
  trace: Trace,
  desired: DesiredToken,
): Promise<Secret | undefined> => {
  const { timeoutSeconds } = desired
  const namespace = memberObjectName(site.federationId)
  const made = await tokenSecretOf(context, site, desired)
  const { name } = made.metadata
  const secret = await filled(site, made, Math.min(POLLS_MS, timeoutSeconds * 250))
  const token = tokenIn(secret)
  if (token !== undefined) {
    trace.made(refOf(site, secret))
    return token
  }
  const since = new Date(secret.metadata.creationTimestamp ?? context.now())
  const age = ((await clusterTime(site.client, context.now())).getTime() - since.getTime()) / 1000
  if (age < timeoutSeconds) throw new Pending(`the token controller of the member to fill Secret ${namespace}/${name}`)
  await removeOwned(site, secrets(namespace), name)
  return undefined
}

/** True when the member still takes a token that was proved before. It refuses one whose account was made anew meanwhile. */
const isStillProved = async (context: MemberContext, token: Secret, { user }: DesiredToken): Promise<boolean> => {
  try {
    await proveToken(context, { token, user, timeoutSeconds: 0 })
    return true
  } catch (error) {
    if (error instanceof CredentialNotProved) return false
    throw error
  }
}

const newToken = async (
  context: MemberContext,
  site: Site,
  trace: Trace,
  desired: DesiredToken,
): Promise<Credential> => {
  if (context.membership.credential?.kind !== 'token-request') {
    const token = await tokenFromSecret(context, site, trace, desired)
    if (token !== undefined) return { kind: 'token-secret', expiresAt: null, renewAfter: null, token }
  }
  const account = { namespace: memberObjectName(site.federationId), account: desired.account }
  return requestToken(site.client, account, context.now())
}

/**
 * A proved token for one of our accounts in the member: of a token Secret where the member has a token controller, else of a TokenRequest, which
 * expires. Where no controller was running when the credential was made, no rotation waits for one again.
 *
 * @throws Pending while the token controller may still fill the Secret
 * @throws CredentialNotProved
 */
export const obtainToken = async (
  context: MemberContext,
  site: Site,
  trace: Trace,
  desired: DesiredToken,
): Promise<Credential> => {
  const stored = await storedRequest(context, desired)
  if (stored !== undefined && (await isStillProved(context, stored.token, desired))) return stored
  const made = await newToken(context, site, trace, desired)
  const { user, proofTimeoutSeconds: timeoutSeconds } = desired
  await proveToken(context, { token: made.token, user, timeoutSeconds })
  return made
}
