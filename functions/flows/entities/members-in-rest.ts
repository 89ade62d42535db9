import type { OpenClusterAccess } from '../../core/access/cluster-access.ts'
import type { Federation } from '../../core/federation/federation.ts'
import { memberAccess, memberContext, storedToken } from '../../core/membership/member-context.ts'
import type { MemberContext } from '../../drivers/contract/federation-driver.ts'
import type { StepPorts } from '../step.ts'

/** The members that an update may reach into, and the connections to them. */
export type MembersInRest = {
  /** Of members whose state is Ready or Degraded. */
  contexts(federation: Federation): Promise<MemberContext[]>
  close(): void
}

/** Opens accesses to members as they are asked for, each cluster once. The maker closes them. */
export const membersInRest = (ports: StepPorts, host: OpenClusterAccess): MembersInRest => {
  const opened = new Map<string, OpenClusterAccess>()
  return {
    contexts: async (federation) => {
      const memberships = await ports.stores.memberships.listOf(federation)
      const inRest = memberships.filter(({ state }) => state === 'Ready' || state === 'Degraded')
      return Promise.all(
        inRest.map(async (membership) => {
          const member = opened.get(membership.clusterId) ?? (await memberAccess(ports, membership)).access
          opened.set(membership.clusterId, member)
          return memberContext(ports, { federation, host, member, membership, tokenOf: storedToken })
        }),
      )
    },
    close: () => {
      for (const access of opened.values()) access.close()
    },
  }
}
