import { cpSync } from 'node:fs'
import path from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

/**
 * Libraries that a function reads at their first use and not at its start: each is a file beside `index.js`. Our code must import what uses
 * them with `import()`, or they are loaded at once (a test of the bundles notices).
 */
const LIBRARIES = { ws: ['ws'], x509: ['@peculiar/x509', 'reflect-metadata'], yaml: ['yaml'] } as const
export type Library = keyof typeof LIBRARIES

const NAMES = Object.keys(LIBRARIES) as Library[]
const fileOf = (library: Library): string => `./${library}.js`

/** Lets bundles have libraries as files beside them. */
export const librariesApart: Plugin = {
  name: 'libraries-apart',
  setup: ({ onResolve }) => {
    for (const library of NAMES) {
      for (const name of LIBRARIES[library]) {
        onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: fileOf(library), external: true }))
      }
    }
  },
}

/** Libraries that a bundle loads. */
export const librariesOf = (output: Metafile['outputs'][string] | undefined): Library[] =>
  NAMES.filter((library) => output?.imports.some((it) => it.external === true && it.path === fileOf(library)))

/** Bundles each library once, into `folder`, and copies it beside the functions that load it. */
export const putLibrariesBeside = async (
  bundles: readonly { folder: string; libraries: readonly Library[] }[],
  options: BuildOptions & { outdir: string },
): Promise<void> => {
  const folder = path.join(options.outdir, 'libraries')
  await build({
    ...options,
    outdir: folder,
    entryPoints: NAMES.map((library) => ({ in: `infra/libraries/${library}.ts`, out: library })),
  })
  for (const { folder: target, libraries } of bundles) {
    for (const library of libraries) cpSync(path.join(folder, `${library}.js`), path.join(target, `${library}.js`))
  }
}
