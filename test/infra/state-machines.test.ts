import { readFileSync } from 'node:fs'
import path from 'node:path'
import aslValidator from 'asl-validator'
import { describe, expect, it } from 'vitest'
import { lintAsl } from '../../local/engine/asl-lint.ts'

/** Read anew each time: the validator writes into what it is given. */
const definition = (): unknown =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../../statemachines/operation.asl.json'), 'utf8'))

describe('the definition of the state machines', () => {
  it('keeps the rules of asl-validator', () => {
    const { isValid, errorsText } = aslValidator(definition())
    expect(isValid, errorsText()).toBe(true)
  })

  it('keeps our own rules', () => {
    expect(lintAsl('operation', definition())).toEqual([])
  })
})
