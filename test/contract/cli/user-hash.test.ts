import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyPassword } from '../../../functions/identity/password.ts'
import { CommandLine } from '../../support/cli/command-line.ts'

const PASSWORD = 'correct horse battery staple'
let cli: CommandLine
beforeEach(() => {
  cli = new CommandLine()
})
afterEach(() => cli.close())

describe('fedplane user hash', () => {
  it('reads a password from standard input, and prints the line for the file of users alone', async () => {
    const { code, stdout, stderr } = await cli.run('user hash', { input: `${PASSWORD}\n` })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^\$scrypt\$ln=16,r=8,p=2\$\S+\n$/)
    expect(await verifyPassword(PASSWORD, stdout.trim())).toBe(true)
  })

  it.each([
    ['', /has 0 characters/],
    ['too short\n', /has 9 characters/],
    [`${'x'.repeat(1025)}\n`, /has 1025 characters/],
  ])('refuses one that is too short or too long, and shows nothing of it', async (input, message) => {
    const { code, stdout, stderr } = await cli.run('user hash', { input })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('too short\n'.trim())
  })

  it('takes no password as an argument, where other users of the machine would see it', async () => {
    const { code, stderr } = await cli.run(['user', 'hash', PASSWORD])
    expect(code).toBe(2)
    expect(stderr).not.toContain(PASSWORD)
  })
})
