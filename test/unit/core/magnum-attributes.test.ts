import { describe, expect, it } from 'vitest'
import {
  CLUSTER_ATTRIBUTES,
  NODE_GROUP_ATTRIBUTES,
  TEMPLATE_ATTRIBUTES,
} from '../../../functions/core/cluster/magnum-attributes.ts'
import {
  type Attribute,
  type Attributes,
  defaultsOf,
  givenOf,
  inheritedFrom,
  keptByName,
  keptFrom,
} from '../../../functions/core/values/attributes.ts'
import { RULES } from '../../../functions/policy/rules.ts'
import { sampleTemplate } from '../../support/store/samples.ts'

const TABLES: Readonly<Record<string, Attributes>> = {
  clusters: CLUSTER_ATTRIBUTES,
  templates: TEMPLATE_ATTRIBUTES,
  'node groups': NODE_GROUP_ATTRIBUTES,
}

const namesOf = (attributes: Attributes, isMeant: (attribute: Attribute, name: string) => boolean): string[] =>
  Object.entries(attributes).flatMap(([name, attribute]) => (isMeant(attribute, name) ? [name] : []))

describe.each(Object.entries(TABLES))('the table of %s', (_, attributes) => {
  it('has nothing that no request says and no answer shows', () => {
    expect(namesOf(attributes, ({ request, shown }) => request === undefined && shown === undefined)).toEqual([])
  })

  it('has defaults that are among the words', () => {
    const isOther = ({ words, default: fallback }: Attribute): boolean =>
      words !== undefined && fallback !== undefined && !words.includes(String(fallback))
    expect(namesOf(attributes, isOther)).toEqual([])
  })

  it('names rules of the policy', () => {
    expect(namesOf(attributes, ({ rule }) => rule !== undefined && !Object.hasOwn(RULES, rule))).toEqual([])
  })

  it('has versions in order', () => {
    expect(namesOf(attributes, ({ since = 1, until = 99 }) => since > until)).toEqual([])
  })
})

describe('what a cluster has of its template', () => {
  it('is kept by the template', () => {
    const template: Attributes = TEMPLATE_ATTRIBUTES
    const isUnknown = ({ inherits }: Attribute, name: string): boolean =>
      inherits !== undefined && template[inherits === true ? name : inherits]?.kept !== true
    expect(namesOf(CLUSTER_ATTRIBUTES, isUnknown)).toEqual([])
  })

  it('gives way to what is given, null included', () => {
    const { spec } = sampleTemplate()
    const given = givenOf(CLUSTER_ATTRIBUTES, { flavor_id: 'big', create_timeout: null, name: 'no attribute of it' })
    expect(inheritedFrom(CLUSTER_ATTRIBUTES, given, { ...spec, keypairId: 'key' })).toMatchObject({
      flavorId: 'big',
      createTimeout: null,
      keypair: 'key',
      masterLbEnabled: spec.masterLbEnabled,
      discoveryUrl: null,
    })
  })

  it('has a default where the template says nothing of it', () => {
    expect(inheritedFrom(CLUSTER_ATTRIBUTES, {}, sampleTemplate().spec).createTimeout).toBe(60)
  })
})

describe('attributes as an entity keeps them', () => {
  it('come from the names of the API, and go back', () => {
    const { spec } = sampleTemplate()
    const byName = keptByName(TEMPLATE_ATTRIBUTES, spec)
    expect(byName).toMatchObject({ image_id: spec.imageId, dns_nameserver: spec.dnsNameserver })
    expect(keptFrom(TEMPLATE_ATTRIBUTES, byName)).toEqual(spec)
  })

  it('have defaults but for those that must be given', () => {
    const defaults = defaultsOf(TEMPLATE_ATTRIBUTES)
    expect(defaults).toMatchObject({ networkDriver: 'flannel', labels: {}, flavorId: null, floatingIpEnabled: true })
    expect(Object.keys(defaults)).not.toContain('imageId')
  })
})
