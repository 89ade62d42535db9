import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, bundleFunctions } from '../../infra/bundle.ts'
import { readDriverPackages } from '../../infra/driver-packages.ts'
import { requireDrivers } from '../../infra/enabled-drivers.ts'
import { SettingsInvalid } from '../../infra/settings/errors.ts'
import { eventOf } from '../support/api/request.ts'
import { invokeBundle } from '../support/infra-invoke.ts'

const DESCRIPTION = (id: string, contract = 1): string => `{
  id: '${id}', contract: ${contract}, description: 'A mesh of our own.', properties: [],
  capabilities: { hostAsMember: false, usesKubernetesApi: true, kubeconfig: false, workloads: false },
  validateProperties: () => [], validateChange: () => [], hostNamespaces: () => [],
}`

let folder: string
const install = (name: string, descriptions: string): void => {
  const at = path.join(folder, 'node_modules', name)
  mkdirSync(at, { recursive: true })
  const exports = { '.': { import: './index.js' }, './descriptions': { import: './descriptions.js' } }
  writeFileSync(path.join(at, 'package.json'), JSON.stringify({ name, version: '1.0.0', type: 'module', exports }))
  writeFileSync(path.join(at, 'descriptions.js'), descriptions)
  writeFileSync(
    path.join(at, 'index.js'),
    `import { federationDescriptions } from './descriptions.js'
    export const federationDrivers = federationDescriptions.map((it) => ({ ...it, marker: 'code-of-the-mesh' }))`,
  )
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-packages-'))
  install('@example/mesh', `export const federationDescriptions = [${DESCRIPTION('mesh@1')}]`)
  install('old', `export const federationDescriptions = [${DESCRIPTION('old@1', 0)}]`)
  install('twin', `export const federationDescriptions = [${DESCRIPTION('karmada@1')}]`)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('driver packages', () => {
  it('say which drivers they bring', async () => {
    expect(await readDriverPackages(['@example/mesh'], folder)).toEqual([
      { name: '@example/mesh', federation: ['mesh@1'], cluster: [] },
    ])
  })

  it.each([
    ['gone', /^The setting driverPackages names gone, whose descriptions can't be loaded\. Install it here/],
    ['old', /^The setting driverPackages names old, whose descriptions are none of this release/],
  ])('are refused in a sentence: %s', async (name, sentence) => {
    await expect(readDriverPackages([name], folder)).rejects.toThrow(SettingsInvalid)
    await expect(readDriverPackages([name], folder)).rejects.toThrow(sentence)
  })

  it('have no driver that is there already', async () => {
    const packages = await readDriverPackages(['twin'], folder)
    expect(() => requireDrivers({}, packages)).toThrow(
      'The setting driverPackages brings the driver karmada@1 a second time.',
    )
  })

  it('are enabled by naming their drivers, and only such as are there can be named', async () => {
    const packages = await readDriverPackages(['@example/mesh'], folder)
    expect(() => requireDrivers({ federationDrivers: ['mesh@1', 'karmada@1'] }, packages)).not.toThrow()
    expect(() => requireDrivers({ federationDrivers: ['mesh@1'] }, [])).toThrow(
      /^The setting federationDrivers names mesh@1, which is not there\. Choose among karmada@1, /,
    )
    expect(() => requireDrivers({ clusterDrivers: ['mesh@1'] }, packages)).toThrow(
      /^The setting clusterDrivers names mesh@1/,
    )
  })
})

describe('bundles with a driver package', () => {
  let bundles: Bundle[]
  beforeAll(async () => {
    bundles = await bundleFunctions({
      outdir: path.join(folder, 'dist'),
      driverPackages: ['@example/mesh'],
      packagesFrom: folder,
    })
  })

  const occurrences = (name: string, text: string): boolean => {
    const file = path.join(bundles.find((bundle) => bundle.name === name)!.folder, 'index.js')
    return execFileSync('grep', ['-c', text, file], { encoding: 'utf8' }).trim() !== '0'
  }

  it('offer its driver, as the default when it is named first', async () => {
    const env = {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      TABLE_NAME: 'none',
      STATE_MACHINE_ARN_PREFIX: 'arn:aws:states:eu-central-1:111122223333:stateMachine:fedplane-',
      PUBLIC_URL: 'https://fedplane.example.org',
      FEDERATION_DRIVERS: 'mesh@1,karmada@1',
    }
    const file = path.join(bundles.find(({ name }) => name === 'table')!.folder, 'index.js')
    const { answers } = await invokeBundle(file, env, [eventOf('GET', '/v1/drivers')])
    const { statusCode, body } = answers[0] as { statusCode: number; body: string }
    expect(statusCode).toBe(200)
    expect(body).toContain('A mesh of our own.')
    expect(JSON.parse(body)).toMatchObject({
      drivers: expect.arrayContaining([expect.objectContaining({ id: 'mesh@1' })]),
    })
  })

  it('have its code where drivers act, and what it says alone where there are no keys', () => {
    expect(occurrences('keys', 'code-of-the-mesh')).toBe(true)
    expect(occurrences('step', 'code-of-the-mesh')).toBe(true)
    expect(() => occurrences('table', 'code-of-the-mesh')).toThrow()
  })
})
