import { describe, expect, it } from 'vitest'
import { consentTo } from '../../../functions/api/federations/selector.ts'
import { mayBeSelected } from '../../../functions/core/selector/member-selector.ts'
import { memoryFederationV1Description } from '../../../functions/drivers/federation/memory/v1/description.ts'
import { API_SETTINGS } from '../../support/api/lab.ts'
import { ALICE, READER } from '../../support/api/request.ts'
import { sampleCluster } from '../../support/store/samples.ts'

/** Decision 0041: whose word selects. */

const MEMBER = { ...READER, userId: 'mia', roles: ['member' as const] }
const FEDERATION = { projectId: 'blue', userId: 'ana', properties: {} }
type Rights = 'view' | 'edit' | 'more'

const consentOf = (principal: typeof ALICE, member: Rights) =>
  consentTo(
    { principal, settings: API_SETTINGS },
    { ...memoryFederationV1Description, rights: () => ({ host: member, member }) },
    FEDERATION,
  )

describe('who sets a selector', () => {
  it.each([
    ['a member, up to edit', MEMBER, 'edit', 'all'],
    ['a member, beyond it', MEMBER, 'more', 'own'],
    ['an administrator', ALICE, 'more', 'all'],
  ] as const)('%s', (_, principal, rights, clusters) => {
    expect(consentOf(principal, rights)).toEqual({ userId: principal.userId, rights, clusters })
  })

  it('is refused where not even own clusters may be joined', () => {
    expect(() => consentOf(READER, 'view')).toThrow(/cluster:join/)
  })
})

describe('which clusters may be selected', () => {
  const selects = (clusters: 'own' | 'all', rights: Rights, takes: Rights, given = {}): boolean =>
    mayBeSelected(
      { consent: { userId: 'mia', rights, clusters } },
      { ...sampleCluster(), userId: 'mia', ...given },
      { host: 'view', member: takes },
    )

  it('takes own ones, and others where all are meant', () => {
    expect([selects('own', 'more', 'more'), selects('own', 'more', 'more', { userId: 'ben' })]).toEqual([true, false])
    expect(selects('all', 'more', 'more', { userId: 'ben' })).toBe(true)
  })

  it('takes none with more rights than were asked for', () => {
    expect([selects('all', 'edit', 'more'), selects('all', 'edit', 'view')]).toEqual([false, true])
  })

  it('takes no cluster with a role', () => {
    const management = { driver: 'capi@1', options: {}, isDefault: false }
    expect(selects('all', 'more', 'view', { management })).toBe(false)
  })
})
