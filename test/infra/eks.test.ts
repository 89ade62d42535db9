import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../functions/api/routes.ts'
import { FLOWS } from '../../functions/domain/operation.ts'
import { eksRights } from '../../infra/eks-context.ts'
import { addFedplane } from '../../infra/fedplane.ts'

type Statement = { Action: string | string[]; Resource: unknown; Effect: string }
type Policy = { Properties: { PolicyDocument: { Statement: Statement[] }; Roles: { Ref: string }[] } }

const ROLE = 'arn:aws:iam::444455556666:role/fedplane-*'
const CLUSTER = 'arn:aws:eks:eu-central-1:111122223333:cluster/shop'
let folder: string
let usual: string[]
let listed: string[]

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-bundle-'))
  writeFileSync(path.join(folder, 'index.js'), 'exports.handler = async () => ({})')
  usual = rightsWith({})
  listed = rightsWith({ eksRoles: `${ROLE}, arn:aws:iam::777788889999:role/edge`, eksClusters: CLUSTER })
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

/** `role: action → resources` of every statement about EKS and STS, in all stacks. */
const rightsWith = (eks: Record<string, string>): string[] => {
  const app = new App({ analyticsReporting: false, context: JSON.parse(readFileSync('cdk.json', 'utf8')).context })
  // The rights are the functions'; what is left of the gateway's routes takes seconds to synthesise.
  const routes = ROUTES.filter(({ access }) => access === 'keys')
  const stacks = addFedplane(app, { folderOf: () => folder, routes, eks })
  const policies = Object.values(stacks).flatMap((stack) =>
    Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy') as Record<string, Policy>),
  )
  return policies.flatMap(({ Properties: { PolicyDocument, Roles } }) =>
    PolicyDocument.Statement.filter(({ Action }) => /^(sts|eks):/.test([Action].flat().join())).map(
      ({ Action, Resource }) => `${Roles[0]?.Ref.replace(/role[0-9A-F]{8}$/, '')}: ${Action} → ${[Resource].flat()}`,
    ),
  )
}

describe('rights for EKS', () => {
  it('are nobody’s unless the operator lists roles or clusters', () => {
    expect(usual).toEqual([])
  })

  it('are those of the functions that talk to clusters, on exactly what is listed', () => {
    const talkers = ['keys', 'healthsweep', ...FLOWS.map((flow) => `step${flow.replaceAll('-', '')}`)]
    expect(listed.toSorted()).toEqual(
      talkers
        .flatMap((name) => [
          `${name}: sts:AssumeRole → ${ROLE},arn:aws:iam::777788889999:role/edge`,
          `${name}: eks:DescribeCluster → ${CLUSTER}`,
        ])
        .toSorted(),
    )
  })

  it.each([
    [{ eksRoles: '*' }, 'eksRoles'],
    [{ eksRoles: 'arn:aws:iam::*:role/fedplane' }, 'eksRoles'],
    [{ eksRoles: 'arn:aws:iam::111122223333:user/ana' }, 'eksRoles'],
    [{ eksClusters: '*' }, 'eksClusters'],
    [{ eksClusters: 'shop' }, 'eksClusters'],
    [{ eksClusters: 'arn:aws:eks:eu-central-1:*:cluster/*' }, 'eksClusters'],
  ])('are not given by %o', (context, name) => {
    expect(() => eksRights(context)).toThrow(new RegExp(`context ${name} has .*each with its account`))
  })
})
