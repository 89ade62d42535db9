import { describe, expect, it } from 'vitest'
import type { DeploymentConfig } from '../../infra/settings/settings.schema.ts'
import { FEW_ROUTES, resourcesIn, templatesOf } from '../support/infra/synthesised.ts'

type Part = { index: number; of: number }

describe('the schedule of the health sweep', () => {
  /** What each target of its rules gives the function, by rule. */
  const partsOf = (config: DeploymentConfig): Part[][] => {
    const { events } = templatesOf({ routes: FEW_ROUTES, config })
    const [[id]] = resourcesIn(events, 'AWS::Lambda::Function').filter(
      ([, { Properties }]) => Properties.Description === 'fedplane: checks the health of clusters',
    ) as [[string, unknown]]
    return resourcesIn(events, 'AWS::Events::Rule')
      .map(([, { Properties }]) => Properties.Targets as { Arn: unknown; Input?: string }[])
      .filter((targets) => JSON.stringify(targets).includes(`"${id}"`))
      .map((targets) => targets.map(({ Input = '{}' }): Part => JSON.parse(Input).part))
  }

  it('is one event for the whole of it by default', () => {
    expect(partsOf({})).toEqual([[{ index: 0, of: 1 }]])
  })

  it('is one for each part that the operator wants, five a rule', () => {
    const rules = partsOf({ sweepParts: 16 })
    expect(Math.max(...rules.map((parts) => parts.length))).toBe(5)
    const all = rules.flat().toSorted((one, other) => one.index - other.index)
    expect(all).toEqual(Array.from({ length: 16 }, (_, index) => ({ index, of: 16 })))
  })
})
