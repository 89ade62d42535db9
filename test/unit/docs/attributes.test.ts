import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { requestSchema } from '../../../functions/api/openapi/schemas.ts'
import { ROUTES } from '../../../functions/api/routes.ts'
import {
  CLUSTER_ATTRIBUTES,
  NODE_GROUP_ATTRIBUTES,
  TEMPLATE_ATTRIBUTES,
} from '../../../functions/core/cluster/magnum-attributes.ts'
import type { Attribute, Attributes } from '../../../functions/core/values/attributes.ts'

/** `docs/api/attributes.md` is made of the tables. Write it anew with `npx vitest run --project unit test/unit/docs/attributes.test.ts -u`. */
const PAGE = path.join(import.meta.dirname, '../../../docs/api/attributes.md')

const INTRO = `# Attributes

Of clusters, cluster templates and node groups. This page is made from [the tables](../../functions/core/cluster/magnum-attributes.ts) that the API itself derives from.

- **create**: what a \`POST\` may set. *dropped*: taken, without effect. A dash: refused.
- **not given**: the default, or where it comes from.
- **shown**: *list* is in every answer, *detail* from the detailed list on, *one* in answers with one object.
- **sort**: may be the \`sort_key\` of a list.
- **patch**: what a \`PATCH\` may do with it, and the rule of the policy that it needs besides the route's.
- \`*\` marks what Magnum does not have.
`

const code = (text: unknown): string => `\`${String(text)}\``

const boundsOf = ({ type, min = 0, max }: Attribute): string => {
  if (type === 'integer') return max === undefined ? ` ≥ ${min}` : ` ${min}–${max}`
  return type === 'text' && max !== undefined ? ` ≤ ${max}` : ''
}

const typeOf = (attribute: Attribute): string => {
  const { type, words, nullable } = attribute
  const what = words === undefined ? `${type}${boundsOf(attribute)}` : words.map(code).join(', ')
  return nullable ? `${what}, null` : what
}

const CREATE = { required: 'required', optional: 'optional', nullable: 'optional; null is kept', ignored: 'dropped' }

const createOf = ({ request }: Attribute): string => (request === undefined ? '–' : CREATE[request])

const defaultOf = (name: string, { inherits, default: fallback, request }: Attribute): string => {
  if (request === undefined || request === 'ignored') return ''
  if (inherits !== undefined) return `${code(inherits === true ? name : inherits)} of the template`
  return fallback === undefined ? '' : code(JSON.stringify(fallback))
}

const shownOf = ({ shown, since, until }: Attribute): string => {
  const versions = [since && `from 1.${since}`, until && `up to 1.${until}`].filter(Boolean)
  return [shown ?? '–', ...versions].join(', ')
}

const patchOf = ({ patch, rule, inUse }: Attribute): string => {
  if (patch === undefined) return '–'
  return [
    patch === 'remove' ? 'replace, remove' : patch,
    ...(inUse ? ['also in use'] : []),
    ...(rule === undefined ? [] : [code(rule)]),
  ].join('; ')
}

const rowOf = ([name, attribute]: [string, Attribute]): string => {
  const cells = [
    `${code(name)}${attribute.ours ? ' \\*' : ''}`,
    typeOf(attribute),
    createOf(attribute),
    defaultOf(name, attribute),
    shownOf(attribute),
    attribute.sorts ? 'yes' : '',
    patchOf(attribute),
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = '| attribute | type | create | not given | shown | sort | patch |\n|---|---|---|---|---|---|---|'

const sectionOf = ([title, attributes]: [string, Attributes]): string =>
  [`## ${title}`, '', HEAD, ...Object.entries(attributes).map(rowOf), ''].join('\n')

const TABLES: Readonly<Record<string, [path: string, attributes: Attributes]>> = {
  Clusters: ['/v1/clusters', CLUSTER_ATTRIBUTES],
  'Cluster templates': ['/v1/clustertemplates', TEMPLATE_ATTRIBUTES],
  'Node groups': ['/v1/clusters/{cluster}/nodegroups', NODE_GROUP_ATTRIBUTES],
}

describe('docs/api/attributes.md', () => {
  it('says what the tables say', async () => {
    const sections = Object.entries(TABLES).map(([title, [, attributes]]) => sectionOf([title, attributes]))
    await expect([INTRO, ...sections].join('\n')).toMatchFileSnapshot(PAGE)
  })

  it.each(Object.entries(TABLES))('names what a request may set: %s', (_, [target, attributes]) => {
    const route = ROUTES.find((one) => one.method === 'POST' && one.path === target)
    const schema = route?.access === 'none' ? undefined : route?.schemas.body?.schema
    if (schema === undefined) throw new Error(`POST ${target} has no body`)
    const taken = Object.entries(attributes).flatMap(([name, attribute]) =>
      ['–', 'dropped'].includes(createOf(attribute)) ? [] : [name],
    )
    expect(Object.keys(Object(requestSchema(schema).properties)).sort()).toEqual(taken.sort())
  })
})
