import { describe, expect, it } from 'vitest'
import { parseDefinition } from '../../../local/engine/definition.ts'
import { FLOW, task } from '../../support/local/engine-lab.ts'

const text = (states: Record<string, unknown>): string =>
  JSON.stringify({ StartAt: Object.keys(states)[0], States: states })

describe('parseDefinition', () => {
  it('fills in the function of the steps, and the flow', () => {
    const definition = parseDefinition(
      FLOW,
      text({ Work: task('Work', { End: true }) }).replace(`"${FLOW}"`, '"$' + '{Flow}"'),
    )
    expect(definition.States.Work).toMatchObject({
      Parameters: { FunctionName: 'arn:aws:lambda:local:000000000000:function:fedplane-step', Payload: { flow: FLOW } },
    })
  })

  it.each([
    ['{', /no JSON/],
    [text({ Work: { Type: 'Map', End: true } }), /Map/],
    [text({ Work: task('Other', { End: true }) }), /Payload\.step/],
    [text({ Work: task('Work', { End: true, HeartbeatSeconds: 3 }) }), /HeartbeatSeconds/],
    [text({ Pause: { Type: 'Wait', Seconds: 2_200_000, End: true } }), /Seconds 2200000/],
    [text({ Say: { Type: 'Pass', Result: '$' + '{Unknown}', End: true } }), /Unknown/],
  ])('refuses what AWS and the engine do not do alike (case %#)', (definition, fault) => {
    expect(() => parseDefinition(FLOW, definition)).toThrow(
      expect.objectContaining({ name: 'DefinitionRefused', message: expect.stringMatching(fault) }),
    )
  })
})
