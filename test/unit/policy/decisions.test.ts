import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../../functions/api/routes.ts'
import { CLUSTER_ATTRIBUTES, TEMPLATE_ATTRIBUTES } from '../../../functions/core/cluster/magnum-attributes.ts'
import type { Attributes } from '../../../functions/core/values/attributes.ts'
import type { Principal, Role } from '../../../functions/core/values/identity.ts'
import { type PolicyRule, RULES } from '../../../functions/policy/rules.ts'
import { defaultPolicy } from '../../support/policy.ts'

/** magnum-rest.md 9.4 as a table: who may do what with an object that ana made in project blue. */

const somebody = (userId: string, projectId: string, ...roles: Role[]): Principal => ({
  userId,
  projectId,
  roles,
  source: 'token-file',
})

const PRINCIPALS = {
  admin: somebody('root', 'blue', 'admin'),
  'foreign admin': somebody('root', 'green', 'admin'),
  'maker, admin': somebody('ana', 'blue', 'admin'),
  everything: somebody('local', 'blue', 'admin', 'member', 'reader'),
  'maker, member': somebody('ana', 'blue', 'member'),
  'other member': somebody('ben', 'blue', 'member'),
  'maker, reader': somebody('ana', 'blue', 'reader'),
  'other reader': somebody('ben', 'blue', 'reader'),
  'foreign member': somebody('ben', 'green', 'member'),
  'maker, member elsewhere': somebody('ana', 'green', 'member'),
  'foreign reader': somebody('ben', 'green', 'reader'),
  'no roles': somebody('ana', 'blue'),
} as const
type Who = keyof typeof PRINCIPALS

const OBJECT = { projectId: 'blue', userId: 'ana' }

const ADMINS: readonly Who[] = ['admin', 'foreign admin', 'maker, admin', 'everything']
const MEMBERS: readonly Who[] = ['maker, member', 'other member']
const READERS: readonly Who[] = ['maker, reader', 'other reader']
const FOREIGN_MEMBERS: readonly Who[] = ['foreign member', 'maker, member elsewhere']

/** On ana's object, and on something of one's own (what a route asks before it knows the object). */
type Row = { object: readonly Who[]; own: readonly Who[] }

const change: Row = { object: [...ADMINS, ...MEMBERS], own: [...ADMINS, ...MEMBERS, ...FOREIGN_MEMBERS] }
const read: Row = {
  object: [...ADMINS, ...MEMBERS, ...READERS],
  own: [...ADMINS, ...MEMBERS, ...READERS, ...FOREIGN_MEMBERS, 'foreign reader'],
}
const admin: Row = { object: ADMINS, own: ADMINS }

const TABLE: Readonly<Record<PolicyRule, Row>> = {
  'cluster:create': change,
  'cluster:update': change,
  'cluster:update_health_status': change,
  'cluster:delete': change,
  'cluster:resize': change,
  'cluster:upgrade': change,
  'cluster:observe': change,
  'cluster:get': read,
  'cluster:get_all': read,
  'cluster:detail': read,
  'cluster:get_one_all_projects': admin,
  'cluster:get_all_all_projects': admin,
  'cluster:detail_all_projects': admin,
  'cluster:update_all_projects': admin,
  'cluster:delete_all_projects': admin,
  'cluster:upgrade_all_projects': admin,
  'cluster:set_management': admin,
  'cluster:force_delete': admin,
  'cluster:accept_identity': admin,
  'cluster:host': { object: [...ADMINS, 'maker, member'], own: change.own },
  'cluster:join': { object: [...ADMINS, 'maker, member'], own: change.own },
  'clustertemplate:create': change,
  'clustertemplate:update': change,
  'clustertemplate:delete': change,
  'clustertemplate:publish': admin,
  'clustertemplate:get': read,
  'clustertemplate:get_all': read,
  'clustertemplate:detail': read,
  'clustertemplate:get_one_all_projects': admin,
  'clustertemplate:get_all_all_projects': admin,
  'clustertemplate:detail_all_projects': admin,
  'clustertemplate:update_all_projects': admin,
  'clustertemplate:delete_all_projects': admin,
  'nodegroup:create': change,
  'nodegroup:update': change,
  'nodegroup:delete': change,
  'nodegroup:get': read,
  'nodegroup:get_all': read,
  'nodegroup:get_one_all_projects': admin,
  'nodegroup:get_all_all_projects': admin,
  'certificate:get': { object: [...ADMINS, 'maker, member', 'maker, reader'], own: read.own },
  'certificate:create': { object: [...ADMINS, 'maker, member'], own: change.own },
  'certificate:rotate_ca': change,
  'credential:rotate': {
    object: ['everything', ...MEMBERS],
    own: ['everything', ...MEMBERS, ...FOREIGN_MEMBERS],
  },
  'credential:get_all': read,
  'credential:get_all_all_projects': admin,
  'quota:create': admin,
  'quota:update': admin,
  'quota:delete': admin,
  'quota:get': read,
  'quota:get_all': admin,
  'quota:get_all_all_projects': admin,
  'stats:get_all': read,
  'stats:get_all_all_projects': admin,
  'magnum-service:get_all': admin,
  'federation:create': change,
  'federation:update': change,
  'federation:delete': change,
  'federation:get': read,
  'federation:get_all': read,
  'federation:detail': read,
  'federation:join': change,
  'federation:unjoin': change,
  'grant:create': change,
  'grant:get': read,
  'grant:get_all': read,
  'grant:delete': change,
  // Before the role is known.
  'federation:kubeconfig': read,
  'cluster:kubeconfig': read,
  'driver:get': read,
  'event:get_all': read,
  'trigger:create': change,
  'trigger:update': change,
  'trigger:delete': change,
  'trigger:get': read,
  'trigger:get_all': read,
  'hook:create': change,
  'hook:delete': change,
  'hook:get_all': read,
  'identity:get': read,
}

/** The rights in a cluster that only its owner gives. */
const USE = { driver: 'karmada@1', rights: 'more', federation: { projectId: 'blue', userId: 'ben' } } as const

const CASES = (Object.entries(TABLE) as [PolicyRule, Row][]).flatMap(([rule, row]) =>
  (['object', 'own'] as const).map((about) => ({ rule, about, allowed: row[about] })),
)

describe('the default policies', () => {
  it.each(CASES)('answer $rule about $about as section 9.4 does', ({ rule, about, allowed }) => {
    const names = Object.keys(PRINCIPALS) as Who[]
    const object = about === 'object' ? OBJECT : undefined
    const use = rule === 'cluster:host' || rule === 'cluster:join' ? USE : undefined
    expect(names.filter((who) => defaultPolicy.decide(PRINCIPALS[who], rule, object, use).isAllowed)).toEqual(
      names.filter((who) => allowed.includes(who)),
    )
  })

  it.each(['cluster:host', 'cluster:join'] as const)(
    'let every member of the project give up to edit by %s, whoever made the cluster',
    (rule) => {
      const names = Object.keys(PRINCIPALS) as Who[]
      for (const rights of ['view', 'edit'] as const) {
        const allowed = names.filter(
          (who) => defaultPolicy.decide(PRINCIPALS[who], rule, OBJECT, { ...USE, rights }).isAllowed,
        )
        expect(allowed).toEqual(names.filter((who) => change.object.includes(who)))
      }
    },
  )

  it.each([
    ['viewer', read],
    ['editor', change],
    ['admin', admin],
  ] as const)('give a kubeconfig with the role %s to those who may do as much here', (role, row) => {
    const names = Object.keys(PRINCIPALS) as Who[]
    for (const context of [{ role }, { role, namespace: 'shop' }]) {
      const allowed = names.filter(
        (who) => defaultPolicy.decide(PRINCIPALS[who], 'federation:kubeconfig', OBJECT, context).isAllowed,
      )
      expect(allowed).toEqual(names.filter((who) => row.object.includes(who)))
    }
  })

  it('let nobody but an admin at a certificate of an object that nobody in particular made', () => {
    const member = PRINCIPALS['maker, member']
    expect(defaultPolicy.decide(member, 'certificate:get', { projectId: 'blue' }).isAllowed).toBe(false)
    expect(defaultPolicy.decide(PRINCIPALS.admin, 'certificate:get', { projectId: 'blue' }).isAllowed).toBe(true)
  })
})

describe('every rule', () => {
  const routeRules = ROUTES.flatMap((route) => (route.access === 'none' ? [] : [route.rule]))

  it('that a route has is in the table', () => {
    expect(routeRules.filter((rule) => !Object.hasOwn(TABLE, rule))).toEqual([])
  })

  it('has a row, and every row a rule', () => {
    expect(Object.keys(TABLE).sort()).toEqual(Object.keys(RULES).sort())
  })

  it('is asked by a route or a handler, or is that of an attribute', () => {
    const folder = path.join(import.meta.dirname, '../../../functions/api')
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    const ofAttributes = [TEMPLATE_ATTRIBUTES, CLUSTER_ATTRIBUTES].flatMap((attributes: Attributes) =>
      Object.values(attributes).map(({ rule }) => rule),
    )
    const asked = new Set<string | undefined>([...routeRules, ...ofAttributes])
    const isAsked = (rule: string) => asked.has(rule) || sources.some((source) => source.includes(`'${rule}'`))
    expect(Object.keys(RULES).filter((rule) => !isAsked(rule))).toEqual([])
  })
})
