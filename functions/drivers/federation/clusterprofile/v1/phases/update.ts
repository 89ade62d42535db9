import * as z from 'zod'
import { type AppError, isAppError } from '../../../../../core/values/app-error.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import { PreflightFailed } from '../../../../contract/errors.ts'
import type { FederationContext, Finding, MemberContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { ensureBinding } from '../../../../support/member/account.ts'
import { federationSelector, hostSite, listAll, memberSite, type Site } from '../../../../support/owned.ts'
import { step, type Trace } from '../../../../support/step.ts'
import { hostFindings, memberFindings } from '../checks/checks.ts'
import { contentOf } from '../host/content.ts'
import { removePublished, servedVersion } from '../host/inventory.ts'
import { publish, requireNamespace } from '../host/publish.ts'
import { type ProfileVersion, placementsOf, profiles, TOKEN_KEY } from '../names.ts'
import { inventoryNamespace, parseProperties } from '../schema.ts'

const inWords = (where: string, findings: readonly Finding[]): string[] =>
  findings
    .filter(({ severity }) => severity === 'error')
    .map(({ reason, message }) => `${reason} (${where}): ${message}`)

/** What one member refuses. One that can't be asked refuses nothing here: the phase after this one says what keeps it. */
const refusalsOf = async (context: MemberContext): Promise<string[]> => {
  try {
    return inWords(`member ${context.member.cluster.name}`, await memberFindings(context))
  } catch (error) {
    if (isAppError(error)) return []
    throw error
  }
}

/** Refuses properties that host or members can't follow, before anything is changed: consumers keep what they have. */
export const checkPhase: Phase<FederationContext> = {
  id: 'check',
  title: 'checks of the new properties',
  deadlineSeconds: 120,
  ensure: (context) =>
    step(async () => {
      const members = (await context.members?.()) ?? []
      const refusals = await Promise.all([
        hostFindings(context).then((findings) => inWords('host', findings)),
        ...members.map(refusalsOf),
      ])
      if (refusals.flat().length === 0) return {}
      throw new PreflightFailed(`Nothing was changed. ${refusals.flat().join(' ')}`)
    }),
}

/** Binds the account in one member; the refusal, when there is one. */
const rebind = async (member: MemberContext, role: string): Promise<AppError | undefined> => {
  try {
    await ensureBinding(await memberSite(member), { made: () => undefined }, role)
    return undefined
  } catch (error) {
    if (isAppError(error)) return error
    throw error
  }
}

/**
 * After `member-role` changed: binds the accounts in all members to the new role. Every member is tried before the first refusal is
 * thrown, so one that can't be reached keeps no other from the new role.
 */
export const rebindPhase: Phase<FederationContext> = {
  id: 'rebind',
  title: 'rights in the members',
  deadlineSeconds: 300,
  ensure: (context) =>
    step(async () => {
      const { memberRole } = parseProperties(context.federation.properties)
      const members = (await context.members?.()) ?? []
      const refusals = await Promise.all(members.map((member) => rebind(member, memberRole)))
      const first = refusals.find((refusal) => refusal !== undefined)
      if (first !== undefined) throw first
      return {}
    }),
}

const Token = z.object({ data: z.object({ [TOKEN_KEY]: z.string().min(1) }) })

type Copying = { context: FederationContext; site: Site; trace: Trace; version: ProfileVersion }

/** Copies one member from the inventory to the consumer namespaces. One that is being published only now gets there by itself. */
const copy = async ({ context, site, trace, version }: Copying, profile: KubernetesObject): Promise<void> => {
  const { name } = profile.metadata
  const secret = await site.client.get(secrets(inventoryNamespace(context.federation.id)), name)
  const token = Token.safeParse(secret).data?.data[TOKEN_KEY]
  const content = contentOf(profile)
  if (token === undefined || content === undefined) return
  const { consumerNamespaces } = parseProperties(context.federation.properties)
  const [, ...consumers] = placementsOf(context.federation, name, consumerNamespaces)
  for (const placement of consumers) await publish(site, trace, { content, token, placement, version })
}

/**
 * After `consumer-namespaces` changed: takes away what is published in other namespaces, and copies every member of the inventory to
 * the new ones. Needs no member to be reachable.
 */
export const publishPhase: Phase<FederationContext> = {
  id: 'publish',
  title: 'publication to consumers',
  deadlineSeconds: 300,
  ensure: (context) =>
    step(async (trace) => {
      const site = await hostSite(context)
      const inventory = inventoryNamespace(context.federation.id)
      const selector = federationSelector(context.federation.id)
      const { consumerNamespaces } = parseProperties(context.federation.properties)
      const members = (await context.members?.()) ?? []
      await removePublished(site, {
        selector,
        federation: context.federation,
        made: [...context.federation.made, ...members.flatMap(({ membership }) => membership.made)],
        keepNamespaces: [inventory, ...consumerNamespaces],
      })
      for (const name of consumerNamespaces) await requireNamespace(site, name)
      const version = await servedVersion(site.client)
      for (const profile of await listAll(site.client, profiles(version, inventory), selector)) {
        await copy({ context, site, trace, version }, profile)
      }
      return {}
    }),
}
