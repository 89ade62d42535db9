import { readFileSync } from 'node:fs'
import path from 'node:path'
import aslValidator from 'asl-validator'
import { describe, expect, it } from 'vitest'
import { FLOWS } from '../../functions/domain/operation.ts'
import { lintAsl } from '../../infra/asl-lint.ts'

const definitionOf = (flow: string): unknown =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../../statemachines', flow, 'flow.asl.json'), 'utf8'))

describe.each(FLOWS)('state machine %s', (flow) => {
  it('keeps the rules of asl-validator', () => {
    const { isValid, errorsText } = aslValidator(definitionOf(flow))
    expect(isValid, errorsText()).toBe(true)
  })

  it('keeps our own rules', () => {
    expect(lintAsl(flow, definitionOf(flow))).toEqual([])
  })
})
