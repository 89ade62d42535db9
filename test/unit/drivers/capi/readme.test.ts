import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { MANAGEMENT_FIELDS } from '../../../../functions/drivers/cluster/capi/v1/model/infrastructure.ts'
import type { ClusterPhase } from '../../../../functions/drivers/contract/cluster-driver.ts'

const README = readFileSync(
  join(import.meta.dirname, '../../../../functions/drivers/cluster/capi/v1/README.md'),
  'utf8',
)

const sectionOf = (heading: string): string => README.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

const listed = (phases: readonly ClusterPhase[] | undefined): string =>
  (phases ?? []).map(({ id }) => `\`${id}\``).join(', ')

describe('the README of capi@1', () => {
  const { create, update, delete: remove } = capiV1.phases

  it.each([
    ['create', create],
    ['resize', update.resize],
    ['other changes of groups', update['node-group-create']],
    ['upgrade', update.upgrade],
    ['rotate-credential', update['rotate-credential']],
    ['delete', remove],
  ])('lists the phases of %s', (plan, phases) =>
    expect(sectionOf('Phases')).toContain(`| ${plan} | ${listed(phases)} |`),
  )

  it('has one row for each other change of groups, since they have one plan', () => {
    expect(update['node-group-update']).toBe(update['node-group-create'])
    expect(update['node-group-delete']).toBe(update['node-group-create'])
  })

  it('has a row for each field of a registration', () =>
    expect([...sectionOf('Management cluster').matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field)).toStrictEqual(
      MANAGEMENT_FIELDS.map(({ name }) => name),
    ))
})
