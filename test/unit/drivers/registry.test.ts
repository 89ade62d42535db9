import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REGISTRATION_ATTRIBUTES } from '../../../functions/api/clusters/registration.ts'
import { isUuid, looksLikeUuid } from '../../../functions/core/values/ids.ts'
import {
  CLUSTER_DESCRIPTIONS,
  driverDescriptions,
  FEDERATION_DESCRIPTIONS,
} from '../../../functions/drivers/descriptions.ts'
import type { RegistryOptions } from '../../../functions/drivers/enabled.ts'
import {
  clusterDrivers,
  FEDERATION_DRIVERS,
  driverRegistry as registryOf,
} from '../../../functions/drivers/registry.ts'
import { noAws } from '../../support/aws/no-aws.ts'

const CLUSTER_DRIVERS = clusterDrivers({ aws: noAws })
const driverRegistry = (options?: RegistryOptions) => registryOf({ aws: noAws }, options)

const FOLDER = resolve(import.meta.dirname, '../../../functions/drivers')

/** `<name>@<major>` of each folder `<kind>/<name>/v<major>`. */
const idsInFolders = (kind: string): string[] =>
  readdirSync(resolve(FOLDER, kind))
    .flatMap((name) => readdirSync(resolve(FOLDER, kind, name)).map((major) => `${name}@${major.replace(/^v/, '')}`))
    .sort()

const idsOf = (drivers: readonly { id: string }[]): string[] => drivers.map(({ id }) => id).sort()

describe('driver folders', () => {
  it.each([
    ['federation', FEDERATION_DRIVERS],
    ['cluster', CLUSTER_DRIVERS],
  ])('of kind %s are the drivers of the registry, whole', (kind, drivers) => {
    expect(idsOf(drivers)).toEqual(idsInFolders(kind))
    for (const { id } of drivers) {
      const [name, major] = id.split('@')
      for (const file of ['description.ts', 'index.ts', 'README.md']) {
        expect(existsSync(resolve(FOLDER, kind, name ?? '', `v${major}`, file)), `${id} ${file}`).toBe(true)
      }
    }
  })
})

describe('descriptions', () => {
  it.each([
    ['federation', FEDERATION_DRIVERS, FEDERATION_DESCRIPTIONS],
    ['cluster', CLUSTER_DRIVERS, CLUSTER_DESCRIPTIONS],
  ])('of kind %s are what its drivers say, in the same order', (_kind, drivers, descriptions) => {
    expect(drivers.map(({ id }) => id)).toEqual(descriptions.map(({ id }) => id))
    for (const [index, description] of descriptions.entries()) expect(drivers[index]).toMatchObject(description)
  })

  it('of an installation are those of its drivers', () => {
    const options = { enabledFederation: ['memory@1'], enabledCluster: ['memory@1', 'external@1'] }
    for (const given of [{}, options]) {
      const [said, whole] = [driverDescriptions(given), driverRegistry(given)]
      expect(said.federation.default).toBe(whole.federation.default)
      expect(said.federation.list().map(({ id }) => id)).toEqual(whole.federation.list().map(({ id }) => id))
      expect(said.cluster.list().map(({ id }) => id)).toEqual(whole.cluster.list().map(({ id }) => id))
    }
  })

  it('have nothing that acts', () => {
    for (const description of [...FEDERATION_DESCRIPTIONS, ...CLUSTER_DESCRIPTIONS]) {
      expect(Object.keys(description)).not.toContain('phases')
    }
  })
})

describe('built-in templates', () => {
  const builtin = CLUSTER_DRIVERS.flatMap(({ builtinTemplate }) => builtinTemplate ?? [])

  it('have ids and names of their own, over all drivers of the build', () => {
    expect(builtin.length).toBeGreaterThan(0)
    expect(new Set(builtin.map(({ id }) => id)).size).toBe(builtin.length)
    expect(new Set(builtin.map(({ name }) => name)).size).toBe(builtin.length)
  })

  it('have UUIDs as Magnum looks them up, and names that are none', () => {
    for (const { id, name } of builtin) {
      expect(isUuid(id), name).toBe(true)
      expect(looksLikeUuid(name), name).toBe(false)
    }
  })
})

describe('registrations', () => {
  const registrations = CLUSTER_DRIVERS.flatMap(({ registration, capabilities }) =>
    registration === undefined ? [] : [{ registration, capabilities }],
  )

  it('are by the attributes that the API knows, each of one driver', () => {
    const attributes = registrations.map(({ registration }) => registration.attribute)
    expect(attributes.toSorted()).toEqual([...REGISTRATION_ATTRIBUTES].sort())
  })

  it('are of drivers that take no kubeconfig and make no nodes, and say what to do instead', () => {
    for (const { registration, capabilities } of registrations) {
      expect(capabilities).toMatchObject({ needsKubeconfig: false, makesNodes: false })
      for (const advice of Object.values(registration.advice)) expect(advice).toMatch(/\.$/)
      const names = registration.fields.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
    }
  })
})

describe('driverRegistry', () => {
  it('enables all but memory@1, and prefers karmada@1', () => {
    const { federation, cluster } = driverRegistry()
    expect(idsOf(federation.list())).toEqual(idsOf(FEDERATION_DRIVERS).filter((id) => id !== 'memory@1'))
    expect(idsOf(cluster.list())).toEqual(idsOf(CLUSTER_DRIVERS).filter((id) => id !== 'memory@1'))
    expect(federation.default).toBe('karmada@1')
  })

  it('resolves an enabled driver', () => {
    expect(driverRegistry().federation.resolve('clusterprofile@1').id).toBe('clusterprofile@1')
  })

  it('makes nothing new with a driver that is not enabled, naming those that are, and still manages what it made', () => {
    const { federation } = driverRegistry()
    expect(federation.resolve('memory@1').id).toBe('memory@1')
    const refused = (): unknown => federation.choose('memory@1')
    expect(refused).toThrow(expect.objectContaining({ name: 'DriverNotFound' }))
    expect(refused).toThrow(/'memory@1'.*clusterprofile@1/)
  })

  it('takes the first enabled driver as default where karmada@1 is not enabled', () => {
    expect(driverRegistry({ enabledFederation: ['memory@1'] }).federation.default).toBe('memory@1')
  })

  it('refuses to enable what does not exist, and a default that is not enabled', () => {
    expect(() => driverRegistry({ enabledCluster: ['nobody@1'] })).toThrow(/nobody@1/)
    expect(() => driverRegistry({ defaultFederation: 'memory@1' })).toThrow(/memory@1/)
  })
})
