import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { sessionNameOf } from '../../../functions/drivers/cluster/eks/v1/eks-access.ts'
import { eksV1 } from '../../../functions/drivers/cluster/eks/v1/index.ts'
import { awsGrants } from '../../../functions/drivers/contract/aws-access.ts'
import type { ClusterDriver } from '../../../functions/drivers/contract/cluster-driver.ts'
import { AwsCredentialsMissing } from '../../../functions/drivers/contract/errors.ts'
import { restrictedPolicy } from '../../../functions/kubernetes/address-guard.ts'
import { connectWith } from '../../../functions/kubernetes/connect.ts'
import { TROUBLES } from '../../support/authorizer/loopback.ts'
import { REGION } from '../../support/aws/aws-stand-in.ts'
import { ClusterLife } from '../../support/drivers/cluster-life.ts'
import { type EksLab, EXTERNAL_ID, eksWorld, MEMBER_ROLE, OWN_ROLE, openEksLab } from '../../support/drivers/eks-lab.ts'
import { everythingOf, rejectionOf } from '../../support/kubernetes/leaks.ts'

const MINUTE_MS = 60_000

let world = eksWorld()
let lab: EksLab
const closing: (() => Promise<void>)[] = []

beforeEach(async () => {
  world = eksWorld()
  const { aws } = world
  await aws.start()
  lab = await openEksLab(world)
  const opened = lab
  closing.push(async () => {
    await Promise.all([opened.close(), aws.close()])
  })
})
afterAll(async () => {
  await Promise.all(closing.map((close) => close()))
})

const lifeOf = (driver: ClusterDriver = world.driver): ClusterLife =>
  new ClusterLife(driver, lab, { now: () => world.clock.now })

/** What a create fails with; nothing of a secret is in it. */
const failureOfCreate = async (life = lifeOf()): Promise<Error & { retryable?: boolean }> => {
  const error = await rejectionOf(life.create())
  for (const secret of world.secrets) expect(everythingOf(error)).not.toContain(secret)
  return error as Error
}

const inOwnAccount = (): void => {
  lab.driverState = { eks: { name: lab.name, region: REGION } }
  lab.credential = async () => undefined
}

describe('eks@1 by a role of another account', () => {
  it('names the project in the session, keeps the external ID to itself, and counts no masters', async () => {
    const life = lifeOf()
    await life.create()
    expect(new Set(world.aws.sessionNames)).toEqual(new Set(['fedplane-local']))
    expect(life.cluster.endpoint).toEqual({
      server: lab.eks.server,
      serverForPeers: null,
      caPem: lab.eks.caPem,
      tlsServerName: null,
      tlsVerify: true,
    })
    expect(life.cluster.observation?.healthStatus).toBe('HEALTHY')
  })

  it('asks AWS twice for a whole create: once for the role, once for the cluster; one token does for all calls', async () => {
    await lifeOf().create()
    expect(world.aws.calls).toEqual(['AssumeRole', 'DescribeCluster'])
    expect(lab.eks.tokens.size).toBe(1)
  })

  it('makes a new token shortly before the old one expires, and assumes the role again before its session ends', async () => {
    const life = lifeOf()
    await life.create()
    const tokenAfter = async (minutes: number): Promise<string> => {
      world.clock.now = new Date(world.clock.now.getTime() + minutes * MINUTE_MS)
      const { credential } = await world.driver.connection(
        life.cluster,
        await lab.credential(),
        life.context().authority,
      )
      // What is given out is good for a function's whole time.
      const started = world.clock.now
      world.clock.now = new Date(started.getTime() + 2 * MINUTE_MS)
      expect((await world.driver.observe(life.context())).healthStatus).toBe('HEALTHY')
      world.clock.now = started
      return credential.kind === 'token' ? credential.token.reveal() : ''
    }
    const tokens = [
      await tokenAfter(1),
      await tokenAfter(10),
      await tokenAfter(1.5),
      await tokenAfter(30),
      await tokenAfter(15),
    ]
    expect(tokens[1]).toBe(tokens[0])
    expect(new Set(tokens).size).toBe(4)
    expect(world.aws.calls.filter((call) => call === 'AssumeRole')).toHaveLength(2)
  })

  it('asks once, however many ask at the same time', async () => {
    const life = lifeOf()
    await life.create()
    world.clock.now = new Date(world.clock.now.getTime() + 50 * MINUTE_MS)
    world.aws.calls.length = 0
    await Promise.all([1, 2, 3].map(() => world.driver.observe(life.context())))
    expect(world.aws.calls).toEqual(['AssumeRole'])
  })

  it('assumes the role again when its session was ended', async () => {
    const life = lifeOf()
    await life.create()
    world.aws.endSessions(MEMBER_ROLE)
    await expect(world.driver.locate?.(life.cluster, await lab.credential())).resolves.toMatchObject({
      server: lab.eks.server,
    })
  })

  it.each([
    ['a wrong external ID', async () => new Secret(JSON.stringify({ external_id: 'another' }))],
    ['no external ID', async () => undefined],
  ])('is refused with %s', async (_, credential) => {
    lab.credential = credential
    const error = await failureOfCreate()
    expect(error).toMatchObject({ name: 'AwsAccessDenied', retryable: false })
    expect(error.message).toContain(`may not assume the role ${MEMBER_ROLE} (session name fedplane-local)`)
    expect(error.message).toContain('AWS says: User: arn:aws:sts::111122223333:assumed-role/fedplane-keys/keys is not')
  })

  it('is refused for another project than the one that the trust policy names', async () => {
    const life = lifeOf()
    life.cluster = { ...life.cluster, projectId: 'other' }
    expect((await failureOfCreate(life)).message).toContain('(session name fedplane-other)')
  })

  it('can not be read when what is stored is damaged', async () => {
    lab.credential = async () => new Secret(`{"external_id": "${EXTERNAL_ID}`)
    expect(await failureOfCreate()).toMatchObject({ name: 'RegistrationUnreadable' })
  })
})

describe('eks@1 by its own credentials', () => {
  beforeEach(inOwnAccount)

  it('says which access entry is missing', async () => {
    const error = await failureOfCreate()
    expect(error).toMatchObject({ name: 'CredentialRejected' })
    expect(error.message).toMatch(
      /does not accept fedplane's own IAM role\. Make an access entry .*create-access-entry/,
    )
  })

  it('works with an access entry, and without a sealed credential', async () => {
    await lab.close()
    lab = await openEksLab(world, [OWN_ROLE])
    closing.push(lab.close)
    inOwnAccount()
    const life = lifeOf()
    await life.create()
    expect(life.cluster.identity?.user).toBe('simulated-admin')
    expect(world.aws.calls).toEqual(['DescribeCluster'])
  })

  it('says when the process has no AWS credentials', async () => {
    const missing = new AwsCredentialsMissing('There are none.')
    const driver = eksV1({
      aws: { grants: 'everything', credentials: () => Promise.reject(missing), endpoint: () => world.aws.url },
    })
    await expect(lifeOf(driver).create()).rejects.toBe(missing)
  })

  it('says when EKS does not know the cluster', async () => {
    world.aws.clusters.clear()
    expect(await failureOfCreate()).toMatchObject({
      name: 'EksClusterNotFound',
      retryable: false,
      message: expect.stringMatching(/no EKS cluster shop_\d+ in eu-central-1/),
    })
  })

  it('says when it may not describe the cluster', async () => {
    world.aws.mayDescribe = []
    expect(await failureOfCreate()).toMatchObject({
      name: 'AwsAccessDenied',
      message: expect.stringContaining('is not authorized to perform: eks:DescribeCluster.'),
    })
  })

  it.each([
    [{ status: 400, code: 'ThrottlingException' }, 'AwsUnavailable', true],
    [{ status: 429, code: 'TooManyRequestsException' }, 'AwsUnavailable', true],
    [{ status: 500, code: 'ServerException' }, 'AwsUnavailable', true],
    [{ status: 403, code: 'ExpiredTokenException' }, 'AwsCredentialsRejected', false],
    [{ status: 403, code: 'UnrecognizedClientException' }, 'AwsCredentialsRejected', false],
    [{ status: 400, code: 'InvalidParameterException' }, 'AwsRequestRefused', false],
  ])('tells %o apart', async (refusal, name, retryable) => {
    world.aws.refusal = refusal
    expect(await failureOfCreate()).toMatchObject({ name, retryable, message: expect.stringContaining(refusal.code) })
  })

  it('does not repeat what AWS says of a bad signature, which has the request in it', async () => {
    const { aws } = world
    const stranger = { ...aws.issue(OWN_ROLE), secretAccessKey: new Secret('not-the-key') }
    const driver = eksV1({ aws: aws.accessOf(() => stranger) })
    expect(await failureOfCreate(lifeOf(driver))).toMatchObject({
      name: 'AwsCredentialsRejected',
      message: expect.not.stringContaining('authorization'),
    })
  })

  it.each(TROUBLES.filter((trouble) => !['hang', 'stall'].includes(trouble)))(
    'gets over %s with an error',
    async (trouble) => {
      world.aws.trouble = trouble
      expect((await failureOfCreate()).name).toMatch(/^Aws(Unavailable|RequestRefused)$/)
      expect(world.aws.calls.length).toBeLessThanOrEqual(2)
    },
  )

  it.each(['DELETING', 'FAILED', 'PENDING'])('says that a cluster is %s', async (status) => {
    world.aws.clusters.set(lab.name, { status, endpoint: lab.eks.server, caPem: lab.eks.caPem })
    expect(await failureOfCreate()).toMatchObject({
      name: 'EksClusterNotActive',
      message: expect.stringContaining(status),
    })
  })

  it('waits for a cluster that is being made', async () => {
    world.aws.clusters.set(lab.name, { status: 'CREATING' })
    const [locate] = world.driver.phases.create
    const life = lifeOf()
    expect(await locate?.ensure(life.context())).toEqual({
      done: false,
      waitingFor: expect.stringContaining('CREATING'),
    })
    world.aws.clusters.set(lab.name, { status: 'ACTIVE', endpoint: lab.eks.server, caPem: lab.eks.caPem })
    expect(await locate?.ensure(life.context())).toMatchObject({ done: true, endpoint: { server: lab.eks.server } })
  })

  it('connects to no private endpoint where the address policy forbids it', async () => {
    lab.connect = connectWith({ policy: restrictedPolicy([]) })
    expect(await failureOfCreate()).toMatchObject({ name: 'AddressForbidden' })
  })
})

describe('eks@1 by the credentials of an installation of several projects', () => {
  const OTHERS = 'arn:aws:iam::444455556666:role/others'
  const withGrants = (...entries: string[]): ClusterDriver => {
    const own = world.aws.issue(OWN_ROLE)
    return eksV1({ aws: world.aws.accessOf(() => own, awsGrants(entries.join(','))), now: () => world.clock.now })
  }
  const ownCluster = (region = REGION, account = '111122223333') =>
    `arn:aws:eks:${region}:${account}:cluster/${lab.name}`
  const planOf = (life: ClusterLife) => ({
    cluster: life.cluster,
    template: null,
    nodeGroups: [],
    task: null,
    management: null,
  })

  it.each([
    ['nothing is listed', () => []],
    ['another role is listed', () => [`local=${OTHERS}`]],
    ['the role is listed for another project', () => [`red=${MEMBER_ROLE}`]],
  ])('uses no role when %s, and asks AWS nothing', async (_, entries) => {
    const driver = withGrants(...entries())
    const life = lifeOf(driver)
    expect(driver.check(planOf(life))).toEqual([expect.stringContaining(`local=${MEMBER_ROLE}`)])
    expect(await failureOfCreate(life)).toMatchObject({
      name: 'AwsUseNotGranted',
      message: expect.stringMatching(/Project local may not use the IAM role .*FEDPLANE_EKS_GRANTS/),
    })
    expect(world.aws.calls).toEqual([])
  })

  it.each([
    ['nothing is listed', () => []],
    ['roles are listed', () => ['arn:aws:iam::*:role/*']],
    ['another cluster is listed', () => [`${ownCluster()}-2`]],
    ['one of another Region is listed', () => [ownCluster('eu-west-1')]],
    ['the cluster is listed for another project', () => [`red=${ownCluster()}`]],
  ])('reaches no cluster of its own account when %s, and asks AWS nothing', async (_, entries) => {
    inOwnAccount()
    expect(await failureOfCreate(lifeOf(withGrants(...entries())))).toMatchObject({ name: 'AwsUseNotGranted' })
    expect(world.aws.calls).toEqual([])
  })

  it('reaches what is listed for the project, as with everything', async () => {
    const driver = withGrants('local=arn:aws:iam::444455556666:role/*')
    const life = lifeOf(driver)
    expect(driver.check(planOf(life))).toEqual([])
    await life.create()
    expect(world.aws.calls).toEqual(['AssumeRole', 'DescribeCluster'])
  })

  it.each(['local=', ''])('reaches a cluster of its own account that is listed as "%s…"', async (project) => {
    await lab.close()
    lab = await openEksLab(world, [OWN_ROLE])
    closing.push(lab.close)
    inOwnAccount()
    await lifeOf(withGrants(`${project}${ownCluster('*')}`)).create()
    expect(world.aws.calls).toEqual(['DescribeCluster'])
  })

  it('uses a role that is listed for all when its trust policy keeps other projects out', async () => {
    await lifeOf(withGrants(MEMBER_ROLE)).create()
    expect(world.aws.calls).toEqual(['AssumeRole', 'AssumeRole', 'DescribeCluster'])
  })

  it('does not use a role that is listed for all and lets all projects in', async () => {
    world.aws.roles.set(MEMBER_ROLE, {})
    lab.credential = async () => undefined
    expect(await failureOfCreate(lifeOf(withGrants(MEMBER_ROLE)))).toMatchObject({
      name: 'AwsRoleOpenToAll',
      message: expect.stringContaining('"sts:RoleSessionName": "fedplane-local"'),
    })
    expect(world.aws.calls).toEqual(['AssumeRole'])
  })

  it('stops using what is no longer listed', async () => {
    const life = lifeOf(withGrants(`local=${MEMBER_ROLE}`))
    await life.create()
    const connection = withGrants().connection(life.cluster, await lab.credential(), life.context().authority)
    await expect(connection).rejects.toMatchObject({ name: 'AwsUseNotGranted' })
  })
})

describe('eks@1 observe', () => {
  const observed = async (spoil: (cluster: Cluster) => void) => {
    const life = lifeOf()
    await life.create()
    world.clock.now = new Date(world.clock.now.getTime() + 70 * MINUTE_MS)
    spoil(life.cluster)
    return world.driver.observe(life.context())
  }

  it.each([
    [
      'AWS does not answer',
      () => {
        world.aws.trouble = 'down'
      },
    ],
    ['the role may not be assumed any more', () => world.aws.roles.clear()],
  ])('does not hold it against the cluster when %s', async (_, spoil) => {
    expect(await observed(spoil)).toMatchObject({ healthStatus: 'UNKNOWN', version: expect.any(String) })
  })
})

describe('sessionNameOf', () => {
  it('gives no two projects the same name, whatever theirs are', () => {
    const projects = ['local', 'a b', 'a-b', 'a'.repeat(55), 'a'.repeat(56), 'a'.repeat(57), 'sha256-x', 'ä', '']
    const names = projects.map(sessionNameOf)
    expect(new Set(names).size).toBe(projects.length)
    for (const name of names) expect(name).toMatch(/^fedplane-[\w+=,.@-]{1,55}$/)
    expect(sessionNameOf(names[1]!.slice('fedplane-'.length))).not.toBe(names[1])
  })
})
