import { chmod, cp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'

/**
 * `npm pack` builds what is installed: the program in `dist/cli`, and beside it what `fedplane server` needs, since Node strips no types below
 * `node_modules`. Files that are read at run time keep their places relative to each other: `../functions/policy` is that in the checkout and here.
 */

const ROOT = path.resolve(import.meta.dirname, '../..')
const DIST = path.join(ROOT, 'dist')

/** For packages of CommonJS, which ask for these. */
const BANNER = `import { createRequire as makeRequire } from 'node:module'
const require = makeRequire(import.meta.url)
const __dirname = import.meta.dirname
`

/**
 * The container of the X.509 library looks for the metadata of decorators when it is read. Modules that files share are read before those files, so that
 * an import beside the library's comes too late in a bundle of several files.
 */
const metadataFirst: Plugin = {
  name: 'metadata-first',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]tsyringe[\\/]dist[\\/]esm5[\\/]index\.js$/ }, async ({ path: file }) => ({
      contents: `import 'reflect-metadata'\n${await readFile(file, 'utf8')}`,
    }))
  },
}

const ESBUILD = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  outExtension: { '.js': '.mjs' },
  // What only some verbs need is read by those: client-node alone has 4 MB.
  splitting: true,
  banner: { js: BANNER },
  minify: true,
  plugins: [metadataFirst],
  legalComments: 'linked',
  logLevel: 'warning',
} as const satisfies BuildOptions

const ENTRIES = {
  cli: { main: 'cli/main.ts' },
  server: { main: 'local/main.ts', 'reader.worker': 'local/reader/reader.worker.ts' },
}

const CEDAR = 'cedar_wasm_bg.wasm'
const cedarFile = (): string =>
  path.join(path.dirname(createRequire(import.meta.url).resolve('@cedar-policy/cedar-wasm/nodejs')), CEDAR)

/** Read at run time, from the repository's root. */
const FILES = ['statemachines/operation.asl.json', 'functions/policy']

for (const folder of ['cli', 'server', 'functions', 'statemachines']) {
  await rm(path.join(DIST, folder), { recursive: true, force: true })
}
for (const [folder, entryPoints] of Object.entries(ENTRIES)) {
  await build({ ...ESBUILD, entryPoints, outdir: path.join(DIST, folder) })
}
for (const file of FILES) {
  await cp(path.join(ROOT, file), path.join(DIST, file), {
    recursive: true,
    filter: (source) => !source.endsWith('.ts'),
  })
}
await cp(cedarFile(), path.join(DIST, 'server', CEDAR))
await cp(path.join(import.meta.dirname, 'fedplane.mjs'), path.join(DIST, 'cli/fedplane.mjs'))
await chmod(path.join(DIST, 'cli/fedplane.mjs'), 0o755)
