import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import * as z from 'zod'
import { CLUSTER_CONTRACT } from '../functions/drivers/contract/cluster-driver-description.ts'
import { FEDERATION_CONTRACT } from '../functions/drivers/contract/federation-driver-description.ts'
import { SettingsInvalid } from './settings/errors.ts'

const ROOT = path.join(import.meta.dirname, '..')

const described = (contract: number) =>
  z
    .array(z.looseObject({ id: z.string().regex(/^[a-z][a-z0-9-]*@[1-9][0-9]*$/), contract: z.literal(contract) }))
    .default([])

/** As much of `<package>/descriptions` as a deployment checks. */
const Descriptions = z.object({
  federationDescriptions: described(FEDERATION_CONTRACT),
  clusterDescriptions: described(CLUSTER_CONTRACT),
})

/** Ids of the drivers in a package. */
export type PackageDrivers = { name: string; federation: readonly string[]; cluster: readonly string[] }

/** What a package exports at `./descriptions`, found as the bundles find it. */
const load = async (name: string, resolveDir: string): Promise<unknown> => {
  const contents = `export * from ${JSON.stringify(`${name}/descriptions`)}`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  })
  const code = outputFiles[0]?.text ?? ''
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
}

const readOne = async (name: string, resolveDir: string): Promise<PackageDrivers> => {
  const loaded = await load(name, resolveDir).catch((cause: unknown) => {
    throw new SettingsInvalid(
      `The setting driverPackages names ${name}, whose descriptions can't be loaded. Install it here, built to JavaScript, with an export ./descriptions (docs/drivers/out-of-tree.md).`,
      { cause },
    )
  })
  const parsed = Descriptions.safeParse({ ...(loaded as object) })
  if (parsed.success) {
    const { federationDescriptions, clusterDescriptions } = parsed.data
    return {
      name,
      federation: federationDescriptions.map(({ id }) => id),
      cluster: clusterDescriptions.map(({ id }) => id),
    }
  }
  throw new SettingsInvalid(
    `The setting driverPackages names ${name}, whose descriptions are none of this release: each needs an id such as name@1, and contract ${FEDERATION_CONTRACT} (federation) or ${CLUSTER_CONTRACT} (cluster).`,
  )
}

/**
 * The drivers of packages, by what they say.
 *
 * @param resolveDir folder from which packages are found. Default: the repository
 * @throws SettingsInvalid
 */
export const readDriverPackages = (names: readonly string[], resolveDir = ROOT): Promise<PackageDrivers[]> =>
  Promise.all(names.map((name) => readOne(name, resolveDir)))

const LISTS = {
  'out-of-tree-descriptions.ts': { constant: 'PACKAGE_DESCRIPTIONS', part: '/descriptions' },
  'out-of-tree.ts': { constant: 'DRIVER_PACKAGES', part: '' },
} as const
type ListFile = keyof typeof LISTS

/** Puts packages in the place of the empty lists in `functions/drivers/out-of-tree*.ts`. */
export const packagedDrivers = (names: readonly string[], resolveDir = ROOT): Plugin => ({
  name: 'packaged-drivers',
  setup: ({ onLoad }) => {
    if (names.length === 0) return
    onLoad({ filter: /[/\\]functions[/\\]drivers[/\\]out-of-tree(-descriptions)?\.ts$/ }, ({ path: file }) => {
      const { constant, part } = LISTS[path.basename(file) as ListFile]
      const imports = names.map((name, index) => `import * as p${index} from ${JSON.stringify(name + part)}`)
      const list = `export const ${constant} = [${names.map((_, index) => `p${index}`).join(', ')}]`
      return { contents: [...imports, list].join('\n'), loader: 'js', resolveDir }
    })
  },
})
