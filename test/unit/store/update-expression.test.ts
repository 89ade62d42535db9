import { describe, expect, it } from 'vitest'
import { attributeNames } from '../../../functions/store/dynamodb/request.ts'
import { updateExpression } from '../../../functions/store/dynamodb/updates.ts'

describe('updateExpression', () => {
  it('names just what changes', () => {
    expect(
      updateExpression({ set: { status: 'X', operation: null }, remove: ['openPk'], add: { uses: ['b', 'a'] } }),
    ).toEqual({
      text: 'SET #status = :status, #operation = :operation REMOVE #openPk ADD #uses :uses',
      values: { ':status': 'X', ':operation': null, ':uses': new Set(['a', 'b']) },
    })
  })

  it('leaves out empty sets and undefined fields, which DynamoDB refuses', () => {
    const expression = updateExpression({ set: { a: 1, b: undefined }, add: { uses: [] }, take: { ids: ['x'] } })
    expect(expression).toEqual({ text: 'SET #a = :a DELETE #ids :ids', values: { ':a': 1, ':ids': new Set(['x']) } })
  })
})

describe('attributeNames', () => {
  it('are read from the placeholders of all expressions', () => {
    expect(attributeNames('SET #status = :s', undefined, '#observation.#observedAt < :t')).toEqual({
      '#status': 'status',
      '#observation': 'observation',
      '#observedAt': 'observedAt',
    })
  })
})
