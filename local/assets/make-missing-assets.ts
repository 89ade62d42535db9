import { type AssetOptions, missingAssets } from './assets.ts'

/** For a start: makes what is missing when it is said from what. Never goes to the network by itself. @throws AssetSourceInvalid */
export const makeMissingAssets = async (options: AssetOptions): Promise<void> => {
  if (options.karmadaCrds === undefined || missingAssets(options.assetsFolder).length === 0) return
  // Imported only now: reading archives and YAML is no part of other starts.
  const { makeAssets } = await import('./make-assets.ts')
  await makeAssets(options)
}
