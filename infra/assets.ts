import { cpSync, existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ASSETS, ASSETS_FOLDER, type AssetOptions, missingAssets } from '../local/assets/assets.ts'
import { makeAssets } from '../local/assets/make-assets.ts'

export type EnsureOptions = AssetOptions & {
  /** Fail when assets can't be made. Default: tell, and go on without. */
  demanded?: boolean
  tell(line: string): void
}

/** Makes the assets that are missing. @throws AssetSourceInvalid when they are demanded, and for files that are not the right ones */
export const ensureAssets = async ({ demanded = false, tell, ...options }: EnsureOptions): Promise<void> => {
  const missing = missingAssets(options.assetsFolder)
  if (missing.length === 0) return
  try {
    await makeAssets(options)
  } catch (error) {
    // A source that was named is meant.
    if (demanded || options.karmadaCrds !== undefined) throw error
    tell(
      `Without ${missing.join(', ')}: ${error instanceof Error ? error.message : ''} karmada@1 will refuse to create federations. ` +
        'Run npm run assets, or let FEDPLANE_KARMADA_CRDS name the CRDs of the release.',
    )
  }
}

/** Puts the assets that are there into `assets/` beside bundles, for `functions/runtime/asset-folder.ts`. */
export const putAssetsBeside = (bundles: readonly string[], folder = ASSETS_FOLDER): void => {
  for (const bundle of bundles) {
    const target = path.join(bundle, 'assets')
    // Without what an earlier release left there.
    rmSync(target, { recursive: true, force: true })
    for (const name of ASSETS) {
      const file = path.join(folder, name)
      if (existsSync(file)) cpSync(file, path.join(target, name))
    }
  }
}
