import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfigFile } from '../../infra/settings/config-file.ts'
import { SETTING_NAMES } from '../../infra/settings/context.ts'
import { defineConfig } from '../../infra/settings/define-config.ts'
import { SettingsInvalid } from '../../infra/settings/errors.ts'
import { mergeSettings, parseSettings } from '../../infra/settings/read-settings.ts'
import { DeploymentSettings } from '../../infra/settings/settings.schema.ts'

const ACCOUNT = '111122223333'
const SECRET = `arn:aws:secretsmanager:eu-central-1:${ACCOUNT}:secret:fedplane/keystone-a1B2c3`
const CERTIFICATE = `arn:aws:acm:eu-central-1:${ACCOUNT}:certificate/0f0e0d0c-1111-2222-3333-444455556666`

describe('parseSettings', () => {
  it('needs nothing, and then keeps data, guards it and deploys carefully', () => {
    expect(parseSettings({})).toMatchObject({
      stage: 'prod',
      removalPolicy: 'retain',
      destroyGuard: true,
      logRetentionDays: 30,
      allowedNetworks: [],
      subnetIds: [],
    })
  })

  it.each<[config: unknown, sentence: string]>([
    [{ stage: 'Prod' }, 'The setting stage must be 1 to 20 small letters'],
    [{ removalPolicy: 'keep' }, 'The setting removalPolicy must be retain or destroy.'],
    [{ deployment: 'blue-green' }, 'The setting deployment must be canary or at-once.'],
    [{ domainName: 'fedplane.example.org' }, 'The setting certificateArn is missing: domainName needs it.'],
    [{ certificateArn: CERTIFICATE }, 'The setting domainName is missing: certificateArn needs it.'],
    [{ domainName: 'fedplane', certificateArn: CERTIFICATE }, 'The setting domainName must be a domain name'],
    [{ publicUrl: 'fedplane.example.org' }, 'The setting publicUrl must be an http or https URL without user'],
    [{ publicUrl: 'ftp://a.example.org' }, 'The setting publicUrl must be'],
    [{ publicUrl: 'https://ana@a.example.org' }, 'The setting publicUrl must be'],
    [{ publicUrl: 'https://a.example.org?x=1' }, 'The setting publicUrl must be'],
    [{ publicUrl: 'https://a.example.org/' }, 'The setting publicUrl must be'],
    [{ publicUrl: 'https://a.example.org/v1' }, 'The setting publicUrl must be'],
    [{ keystoneUrl: 'http://169.254.169.254', keystoneSecretArn: SECRET }, 'The setting keystoneUrl must be an https'],
    [{ oidcAudience: ' ', oidcIssuer: 'https://a.example.org' }, 'The setting oidcAudience must be the audience'],
    [{ clusterDrivers: ['eks@1', 'eks@1'] }, 'The setting clusterDrivers must name each driver once.'],
    [
      { keystoneUrl: 'https://keystone.example.org' },
      'The setting keystoneSecretArn is missing: keystoneUrl needs it.',
    ],
    [{ keystoneSecretArn: SECRET }, 'The setting keystoneUrl is missing: keystoneSecretArn needs it.'],
    [{ keystoneSecretArn: SECRET.slice(0, -7) }, 'The setting keystoneSecretArn must be the complete ARN'],
    [{ keystoneUrl: 'http://keystone.example.org' }, 'The setting keystoneUrl must be an https URL'],
    [{ keystoneSecretKeyArn: 'alias/key' }, 'The setting keystoneSecretKeyArn must be the ARN of a KMS key.'],
    [{ oidcIssuer: 'https://login.example.org' }, 'The setting oidcAudience is missing: oidcIssuer needs it.'],
    [{ oidcIssuer: 'login.example.org', oidcAudience: 'a' }, 'The setting oidcIssuer must be an https URL'],
    [{ federationDrivers: [] }, 'The setting federationDrivers must name at least one driver.'],
    [{ clusterDrivers: ['external'] }, 'The setting clusterDrivers[0] must be the id of a driver'],
    [{ driverPackages: ['../mine'] }, 'The setting driverPackages[0] must be the name of an npm package.'],
    [{ operationsPerProject: -1 }, 'The setting operationsPerProject must be an integer of 0 or more.'],
    [
      { keystoneClusterRoles: ['member', 'Admin'] },
      'The setting keystoneClusterRoles[1] must be names of roles without commas, and not admin',
    ],
    [
      { eksRoles: Array.from({ length: 90 }, (_, index) => `blue=arn:aws:iam::111122223333:role/r-${index}`) },
      "The setting eksRoles has more than a function's environment holds",
    ],
    [{ clustersPerProject: 1.5 }, 'The setting clustersPerProject must be an integer of 0 or more.'],
    [{ allowedNetworks: ['10.0.0.0/8', '10.0.0.1'] }, 'The setting allowedNetworks[1] must be a network'],
    [{ allowedNetworks: ['169.254.0.0/16'] }, 'The setting allowedNetworks[0] has addresses only that are never'],
    [{ allowedNetworks: ['::ffff:127.0.0.0/104'] }, 'The setting allowedNetworks[0] has addresses only that are never'],
    [{ allowedNetworks: ['10.0.0.0/8', '127.0.0.0/8'] }, 'The setting allowedNetworks has loopback addresses'],
    [{ allowedNetworks: ['::1/128'] }, 'The setting allowedNetworks has loopback addresses'],
    [
      { eksRoles: ['arn:aws:iam::*:role/fedplane'] },
      'The setting eksRoles[0] must be the ARN of a role with its account',
    ],
    [
      { triggerBuses: ['arn:aws:events:eu-west-1:*:event-bus/shop'] },
      'The setting triggerBuses[0] must be the ARN of an EventBridge bus',
    ],
    [{ eksRoles: [`arn:aws:iam::${ACCOUNT}:user/ana`] }, 'The setting eksRoles[0] must be the ARN of a role'],
    [{ eksClusters: ['*'] }, 'The setting eksClusters[0] must be the ARN of an EKS cluster'],
    [{ eksClusters: ['arn:aws:eks:eu-central-1:*:cluster/*'] }, 'The setting eksClusters[0] must be'],
    [{ vpcId: 'vpc-0123456789abcdef0' }, 'The setting subnetIds is missing: vpcId needs it.'],
    [{ subnetIds: ['subnet-0123456789abcdef0'] }, 'The setting vpcId is missing: subnetIds needs it.'],
    [{ vpcId: 'vpc-1', subnetIds: ['subnet-1'] }, 'The setting vpcId must be the id of a VPC'],
    [{ alarmEmail: 'ops' }, 'The setting alarmEmail must be an e-mail address.'],
    [
      { reservedConcurrency: { tables: 5 } },
      'The setting reservedConcurrency.tables must be numbers by kind of function',
    ],
    [{ reservedConcurrency: { step: 0 } }, 'The setting reservedConcurrency.step must be an integer of 1 or more.'],
    [{ tracing: 'on' }, 'The setting tracing must be true or false.'],
    [{ logRetentionDays: 31 }, 'The setting logRetentionDays must be one of 1, 3, 5'],
    [{ keystoneURL: 'https://keystone.example.org' }, 'The setting keystoneURL is not known.'],
    ['prod', 'The configuration must be an object.'],
  ])('refuses %j in a sentence that names the setting', (config, sentence) => {
    expect(() => parseSettings(config)).toThrow(SettingsInvalid)
    expect(() => parseSettings(config)).toThrow(sentence)
  })

  it('takes wide networks, a proxy with a path, and loopback where the identity provider is, as with an emulator', () => {
    const wide = { allowedNetworks: ['0.0.0.0/0', '::/0'], publicUrl: 'https://a.example.org/magnum' }
    expect(parseSettings(wide)).toMatchObject(wide)
    const emulated = { allowedNetworks: ['127.0.0.0/8'], oidcIssuer: 'http://127.0.0.1:8080', oidcAudience: 'a' }
    expect(parseSettings(emulated)).toMatchObject(emulated)
  })

  it('names all that is wrong at once, and shows no value', () => {
    const parse = () => parseSettings({ keystoneUrl: 'http://ana:pa55@keystone.example.org', tracing: 1 })
    expect(parse).toThrow(/The setting keystoneUrl .* The setting tracing /)
    expect(parse).not.toThrow(/pa55/)
  })
})

describe('mergeSettings', () => {
  const file = defineConfig({
    stage: 'dev',
    allowedNetworks: ['10.0.0.0/8'],
    keystoneUrl: 'https://a.example.org',
    keystoneSecretArn: SECRET,
  })

  it('lets a setting of the context replace the one of the file whole', () => {
    const merged = mergeSettings({ stage: 'prod', allowedNetworks: '192.168.0.0/16, fd00::/8' }, file)
    expect(merged).toMatchObject({ stage: 'prod', allowedNetworks: ['192.168.0.0/16', 'fd00::/8'] })
    expect(merged.keystoneUrl).toBe('https://a.example.org')
  })

  it('takes the default for an empty text, whatever the file says', () => {
    const merged = mergeSettings({ keystoneUrl: '', keystoneSecretArn: '', stage: '' }, file)
    expect(merged).toMatchObject({ stage: 'prod' })
    expect(merged.keystoneUrl).toBeUndefined()
  })

  it('reads texts as what the settings are', () => {
    const context = {
      tracing: 'false',
      logRetentionDays: '90',
      reservedConcurrency: 'table=50, step=10',
      federationDrivers: 'clusterprofile@1,karmada@1',
      config: 'other.config.ts',
    }
    expect(mergeSettings(context)).toMatchObject({
      tracing: false,
      logRetentionDays: 90,
      reservedConcurrency: { table: 50, step: 10 },
      federationDrivers: ['clusterprofile@1', 'karmada@1'],
    })
  })

  it.each([
    [{ tracing: 'yes' }, 'The setting tracing must be true or false.'],
    [{ logRetentionDays: 'a month' }, 'The setting logRetentionDays must be a number of days.'],
    [{ reservedConcurrency: 'step' }, 'The setting reservedConcurrency.step must be an integer of 1 or more.'],
    [{ allowedNetwork: '10.0.0.0/8' }, 'There is no setting allowedNetwork (context).'],
    [{ alarm_email: 'ops@example.org' }, 'There is no setting alarm_email (context).'],
    [{ 'alarm-email': 'ops@example.org' }, 'There is no setting alarm-email (context).'],
  ])('refuses the context %j', (context, sentence) => {
    expect(() => mergeSettings(context)).toThrow(sentence)
  })

  it("leaves CDK's own context alone", () => {
    const ours = {
      '@aws-cdk/core:checkSecretUsage': true,
      'availability-zones:account=1:region=x': ['a'],
      'aws:cdk:x': 1,
      'acknowledged-issue-numbers': [1],
    }
    expect(mergeSettings(ours)).toEqual(parseSettings({}))
  })
})

describe('readConfigFile', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'fedplane-config-'))
    await writeFile(path.join(folder, 'broken.ts'), 'export default {')
    await writeFile(path.join(folder, 'empty.ts'), 'export const stage = "dev"')
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('is content without a file, unless one is named', async () => {
    expect(await readConfigFile(folder)).toEqual({})
    await expect(readConfigFile(folder, 'prod.ts')).rejects.toThrow('There is no configuration file prod.ts.')
  })

  it('reads what the file exports by default', async () => {
    await writeFile(path.join(folder, 'fedplane.config.ts'), "const stage: string = 'dev'\nexport default { stage }\n")
    expect(await readConfigFile(folder)).toEqual({ stage: 'dev' })
  })

  it.each([
    ['broken.ts', "can't be loaded"],
    ['empty.ts', 'has no settings. It needs: export default defineConfig'],
  ])('says what is wrong with %s', async (name, sentence) => {
    await expect(readConfigFile(folder, name)).rejects.toThrow(`The configuration file ${name} ${sentence}`)
  })
})

describe('infra/app.ts', () => {
  it('fails with the sentence and without our stack when settings are wrong', () => {
    const outdir = path.join(tmpdir(), `fedplane-app-${process.pid}`)
    const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ stage: 'Prod' }), CDK_OUTDIR: outdir }
    const { status, stderr } = spawnSync(process.execPath, ['infra/app.ts'], { env, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^The setting stage must be .*docs\/settings\.md has all settings with examples\.$/m)
    expect(stderr).not.toMatch(/^\s+at /m)
    rmSync(outdir, { recursive: true, force: true })
  })
})

describe('docs/settings.md', () => {
  const text = readFileSync(path.join(import.meta.dirname, '../../docs/settings.md'), 'utf8')

  const shape: Readonly<
    Record<string, { description?: string | undefined; safeParse(value: unknown): { data?: unknown } }>
  > = DeploymentSettings.shape

  const rowOf = (name: string): string => {
    const schema = shape[name]
    const { data } = schema?.safeParse(undefined) ?? {}
    const isNone = data === undefined || ['[]', '{}'].includes(JSON.stringify(data))
    return `| \`${name}\` | ${isNone ? '' : String(data)} | ${schema?.description} |`
  }

  it('lists every setting with its default and what the schema says of it', () => {
    const rows = text.split('\n').filter((line) => line.startsWith('| `'))
    expect(rows).toEqual(SETTING_NAMES.map(rowOf))
  })

  it('has an example that is right', () => {
    const [, example = ''] = /```ts\n([^`]*defineConfig\({[^`]*)```/.exec(text) ?? []
    const literal = example.slice(example.indexOf('defineConfig(') + 'defineConfig('.length, example.lastIndexOf(')'))
    // An object literal of our own documentation.
    const config: unknown = new Function(`return (${literal})`)()
    expect(Object.keys(parseSettings(config)).length).toBeGreaterThan(10)
  })
})
