import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findDynamoDbProgram } from '../../../local/dynamodb/program.ts'

describe('findDynamoDbProgram', () => {
  let directory: string
  let program: string
  const none = () => undefined
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fedplane-test-'))
    program = join(directory, 'dynoxide')
    await writeFile(program, '#!/bin/sh\n')
    await chmod(program, 0o755)
  })
  afterAll(() => rm(directory, { recursive: true }))

  it('takes the npm package before the search path', () => {
    const path = `/nowhere${delimiter}${directory}`
    expect(findDynamoDbProgram({ packaged: () => '/packaged/dynoxide', path })).toBe('/packaged/dynoxide')
    expect(findDynamoDbProgram({ packaged: none, path })).toBe(program)
  })

  it('passes over a file that can not be run', async () => {
    await chmod(program, 0o644)
    expect(() => findDynamoDbProgram({ packaged: none, path: directory })).toThrow()
    await chmod(program, 0o755)
  })

  it('names every way to get one when there is none', () => {
    const find = () => findDynamoDbProgram({ packaged: none, path: '' })
    expect(find).toThrow(expect.objectContaining({ name: 'DynamoDbProgramNotFound' }))
    for (const way of ['FEDPLANE_DYNAMODB_ENDPOINT', '@dynoxide/linux-x64', 'PATH']) expect(find).toThrow(way)
  })
})
