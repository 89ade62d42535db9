import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { putAssetsBeside } from './assets.ts'
import { packagedDrivers } from './driver-packages.ts'
import { type Library, librariesApart, librariesOf, putLibrariesBeside } from './libraries.ts'
import { putOpenApiBeside } from './open-api.ts'
import { putPoliciesBeside } from './policies.ts'
import type { FunctionKind } from './settings/settings.schema.ts'
import { strippedPackages } from './stripped-packages.ts'

const ROOT = path.join(import.meta.dirname, '..')

/** A function with this module in it decides by policies. */
const POLICY_MODULE = 'functions/policy/cedar-policy.ts'

/** A function with this module in it serves the OpenAPI document. */
const OPEN_API_MODULE = 'functions/runtime/bundled-files.ts'

/** A function with this module in it hands files to drivers. */
const ASSETS_MODULE = 'functions/runtime/asset-folder.ts'

/** Largest bundle by kind, bytes: what a cold start reads (docs/decisions/0011). */
export const SIZE_MAX_BYTES: Readonly<Record<FunctionKind, number>> = {
  table: 560_000,
  keys: 1_040_000,
  step: 2_000_000,
  event: 2_000_000,
  authorizer: 500_000,
  identity: 500_000,
  canary: 500_000,
  stream: 800_000,
}

/** AWS SDK inside; `mainFields` takes the packages' ES modules, which shake better: 484 KB instead of 1,076 KB for the API. */
const ESBUILD = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  alias: {
    '@aws-sdk/credential-provider-node': './infra/lambda-credentials.ts',
    'mnemonist/lru-cache': './infra/lru-cache.ts',
    // Its parser alone: its entry brings constants of the formatter along, 2 KB.
    'jsonc-parser': './node_modules/jsonc-parser/lib/esm/impl/parser.js',
  },
  minify: true,
  logLevel: 'warning',
} as const satisfies BuildOptions

export type FunctionEntry = {
  /** Folder below `dist/`, and the construct's id. */
  name: string
  kind: FunctionKind
  /** From the repository's root. */
  entry: string
}

const eventFolders = (): string[] =>
  readdirSync(path.join(ROOT, 'functions/workers'), { withFileTypes: true })
    .filter((item) => item.isDirectory() && existsSync(path.join(item.parentPath, item.name, 'handler.ts')))
    .map((item) => item.name)
    .sort()

/** Every Lambda function. Those of events come from their folders. */
export const functionEntries = (): FunctionEntry[] => [
  { name: 'table', kind: 'table', entry: 'functions/api/table.handler.ts' },
  { name: 'keys', kind: 'keys', entry: 'functions/api/keys.handler.ts' },
  { name: 'authorizer', kind: 'authorizer', entry: 'functions/authorizer/handler.ts' },
  { name: 'identity', kind: 'identity', entry: 'functions/identity-api/handler.ts' },
  { name: 'event-stream', kind: 'stream', entry: 'functions/event-stream/handler.ts' },
  { name: 'step', kind: 'step', entry: 'functions/flows/handler.ts' },
  ...eventFolders().map(
    (event): FunctionEntry => ({
      name: `event-${event}`,
      kind: event === 'canary' ? 'canary' : 'event',
      entry: `functions/workers/${event}/handler.ts`,
    }),
  ),
]

export type BundleOptions = {
  /** Absolute, or from the repository's root. Default `dist`. */
  outdir?: string
  /** Folder of the operator's own policies; need not be there. Default: `policies` in the repository. */
  operatorPolicies?: string
  /** npm packages whose drivers come along. Default: none. */
  driverPackages?: readonly string[]
  /** Folder from which these are found. Default: the repository. */
  packagesFrom?: string
  /** Folder with the files of drivers. Default: where `npm run assets` puts them. */
  assetsFolder?: string
}

export type Bundle = FunctionEntry & {
  /** Absolute: the folder that becomes the function's code. */
  folder: string
  bytes: number
  /** Modules in it, from the repository's root. */
  inputs: string[]
  /** Libraries in files beside it. */
  libraries: Library[]
}

/**
 * Bundles all functions in one esbuild call (1.4 s for 25; a NodejsFunction each costs 16 s): `<outdir>/<name>/index.js`, CommonJS. Those
 * that decide by policies get them beside it, and those that act through drivers the assets that are there.
 *
 * @throws BuildFailure of esbuild, PolicyTextInvalid
 */
export const bundleFunctions = async (options: BundleOptions = {}): Promise<Bundle[]> => {
  const { outdir = 'dist', operatorPolicies = path.join(ROOT, 'policies'), driverPackages = [] } = options
  const entries = functionEntries()
  const folder = path.resolve(ROOT, outdir)
  const result = await build({
    ...ESBUILD,
    entryPoints: entries.map(({ name, entry }) => ({ in: entry, out: `${name}/index` })),
    outdir: folder,
    metafile: true,
    plugins: [packagedDrivers(driverPackages, options.packagesFrom), librariesApart, strippedPackages],
  })
  const outputs = new Map(Object.values(result.metafile.outputs).map((output) => [output.entryPoint, output]))
  const bundles = entries.map((entry) => {
    const output = outputs.get(entry.entry)
    return {
      ...entry,
      folder: path.join(folder, entry.name),
      bytes: output?.bytes ?? 0,
      inputs: Object.keys(output?.inputs ?? {}),
      libraries: librariesOf(output),
    }
  })
  await putLibrariesBeside(bundles, { ...ESBUILD, outdir: folder })
  putOpenApiBeside(bundles.filter(({ inputs }) => inputs.includes(OPEN_API_MODULE)).map(({ folder }) => folder))
  putAssetsBeside(
    bundles.filter(({ inputs }) => inputs.includes(ASSETS_MODULE)).map(({ folder }) => folder),
    options.assetsFolder,
  )
  const deciding = bundles.filter(({ inputs }) => inputs.includes(POLICY_MODULE))
  putPoliciesBeside(
    deciding.map(({ folder }) => folder),
    operatorPolicies,
  )
  return bundles
}
