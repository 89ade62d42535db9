import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { buildSync } from 'esbuild'
import { FLOWS } from '../functions/domain/operation.ts'
import { putAssetsBeside } from './assets.ts'
import { putOpenApiBeside } from './open-api.ts'
import { putPoliciesBeside } from './policies.ts'

const ROOT = path.join(import.meta.dirname, '..')

/** A function with this module in it decides by policies. */
const POLICY_MODULE = 'functions/policy/cedar-policy.ts'

/** A function with this module in it serves the OpenAPI document. */
const OPEN_API_MODULE = 'functions/runtime/bundled-open-api.ts'

/** A function with this module in it hands files to drivers. */
const ASSETS_MODULE = 'functions/runtime/bundled-assets.ts'

/**
 * What the AWS SDK imports when an operation streams events (15 KB): no operation of DynamoDB, Step Functions and KMS does. One that did would
 * fail with the name of the module.
 */
const NEVER_LOADED = ['@smithy/core/event-streams']

/** Largest bundle by kind, bytes: what a cold start reads (docs/decisions/0011). */
export const SIZE_MAX_BYTES = {
  table: 520_000,
  keys: 1_160_000,
  step: 2_000_000,
  event: 2_000_000,
  authorizer: 500_000,
}
export type FunctionKind = keyof typeof SIZE_MAX_BYTES

export type FunctionEntry = {
  /** Folder below `dist/`, and the construct's id. */
  name: string
  kind: FunctionKind
  /** From the repository's root. */
  entry: string
}

const eventFolders = (): string[] =>
  readdirSync(path.join(ROOT, 'functions/events'), { withFileTypes: true })
    .filter((item) => item.isDirectory() && existsSync(path.join(item.parentPath, item.name, 'handler.ts')))
    .map((item) => item.name)
    .sort()

/** Every Lambda function. Flows come from `FLOWS`, events from their folders. */
export const functionEntries = (): FunctionEntry[] => [
  { name: 'table', kind: 'table', entry: 'functions/api/table.handler.ts' },
  { name: 'keys', kind: 'keys', entry: 'functions/api/keys.handler.ts' },
  { name: 'authorizer', kind: 'authorizer', entry: 'functions/authorizer/handler.ts' },
  ...FLOWS.map(
    (flow): FunctionEntry => ({
      name: `step-${flow}`,
      kind: 'step',
      entry: `functions/steps/${flow}/handler.ts`,
    }),
  ),
  ...eventFolders().map(
    (event): FunctionEntry => ({
      name: `event-${event}`,
      kind: 'event',
      entry: `functions/events/${event}/handler.ts`,
    }),
  ),
]

export type Bundle = FunctionEntry & {
  /** Absolute: the folder that becomes the function's code. */
  folder: string
  bytes: number
  /** Modules in it, from the repository's root. */
  inputs: string[]
}

/**
 * Bundles all functions in one esbuild call (1.4 s for 25; a NodejsFunction each costs 16 s): `<outdir>/<name>/index.js`, CommonJS with the
 * AWS SDK inside. `mainFields` takes the packages' ES modules, which shake better: 484 KB instead of 1,076 KB for the API. Those that
 * decide by policies get them beside it, and those that act through drivers the assets that are there.
 *
 * @param outdir absolute, or from the repository's root
 * @param operatorPolicies folder of the operator's own policies; need not be there
 * @throws BuildFailure of esbuild, PolicyTextInvalid
 */
export const bundleFunctions = (outdir = 'dist', operatorPolicies = path.join(ROOT, 'policies')): Bundle[] => {
  const entries = functionEntries()
  const result = buildSync({
    absWorkingDir: ROOT,
    entryPoints: entries.map(({ name, entry }) => ({ in: entry, out: `${name}/index` })),
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': './infra/lambda-credentials.ts' },
    external: NEVER_LOADED,
    minify: true,
    metafile: true,
    logLevel: 'warning',
  })
  const outputs = new Map(Object.values(result.metafile.outputs).map((output) => [output.entryPoint, output]))
  const bundles = entries.map((entry) => ({
    ...entry,
    folder: path.resolve(ROOT, outdir, entry.name),
    bytes: outputs.get(entry.entry)?.bytes ?? 0,
    inputs: Object.keys(outputs.get(entry.entry)?.inputs ?? {}),
  }))
  putOpenApiBeside(bundles.filter(({ inputs }) => inputs.includes(OPEN_API_MODULE)).map(({ folder }) => folder))
  putAssetsBeside(bundles.filter(({ inputs }) => inputs.includes(ASSETS_MODULE)).map(({ folder }) => folder))
  const deciding = bundles.filter(({ inputs }) => inputs.includes(POLICY_MODULE))
  putPoliciesBeside(
    deciding.map(({ folder }) => folder),
    operatorPolicies,
  )
  return bundles
}
