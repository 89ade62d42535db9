import { describe, expect, it } from 'vitest'
import { awsCallers } from '../../../functions/api/aws-callers.ts'
import { principalOf } from '../../../functions/api/middleware.ts'

const ACCOUNT = '111122223333'
const iam = (resource: string, account = ACCOUNT): string => `arn:aws:iam::${account}:${resource}`
const session = (role: string, name = 'ana', account = ACCOUNT): string =>
  `arn:aws:sts::${account}:assumed-role/${role}/${name}`

const callers = awsCallers(
  [
    `shop:member=${iam('role/teams/blue/deployer')}`,
    `shop:reader=${iam('role/teams/blue/deployer')}`,
    `urn:x:lab:admin=${iam('user/people/olga')}`,
  ].join(' '),
)

describe('awsCallers', () => {
  it('knows who has assumed a role, whatever its path, by all roles that it was given', () => {
    expect(callers(session('deployer'))).toEqual({
      userId: session('deployer'),
      projectId: 'shop',
      roles: ['member', 'reader'],
      source: 'aws',
    })
  })

  it('knows a user by the whole ARN, and a project with colons in it', () => {
    expect(callers(iam('user/people/olga'))).toMatchObject({ projectId: 'urn:x:lab', roles: ['admin'] })
  })

  it.each([
    ['the same role in another account', session('deployer', 'ana', '444455556666')],
    ['another role', session('deployer2')],
    ['a session that is named like the role', session('other', 'deployer')],
    ['a user that is named like the role', iam('user/deployer')],
    ['a user of the same name with another path', iam('user/olga')],
    ['a federated user of that name', `arn:aws:sts::${ACCOUNT}:federated-user/deployer`],
    ['the root of the account', iam('root')],
    ['nothing', ''],
    ['blanks', ' '],
  ])('knows nobody else: %s', (_, arn) => {
    expect(callers(arn)).toBeUndefined()
  })

  it('knows nobody without a mapping', () => {
    expect(awsCallers('')(session('deployer'))).toBeUndefined()
  })
})

describe('principalOf a request that IAM has authorised', () => {
  const context = (userArn: string) => ({ authorizer: { iam: { userArn, accountId: ACCOUNT } } })

  it('is who the mapping says', () => {
    expect(principalOf(context(session('deployer')), { awsCallers: callers })).toMatchObject({ projectId: 'shop' })
  })

  it('is nobody where the mapping has nothing, or there is none, and says what to do', () => {
    for (const settings of [{ awsCallers: callers }, {}]) {
      expect(() => principalOf(context(session('other')), settings)).toThrow(/assumed-role\/other\/ana.*awsCallers/)
    }
  })
})
