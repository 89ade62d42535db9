import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { CRDS_ASSET } from '../../functions/drivers/federation/karmada/v1/names.ts'
import { sourceFiles } from './asset-source.ts'
import { ASSETS_FOLDER, type AssetOptions } from './assets.ts'
import { KARMADA_CRDS_URL, karmadaCrds } from './karmada-crds.ts'

/**
 * Makes all assets anew. What is there is replaced only when everything is in order.
 *
 * @returns the files
 * @throws AssetSourceInvalid
 */
export const makeAssets = async ({
  assetsFolder = ASSETS_FOLDER,
  karmadaCrds: place = KARMADA_CRDS_URL,
}: AssetOptions = {}): Promise<string[]> => {
  const content = karmadaCrds(await sourceFiles(place))
  const file = path.join(assetsFolder, CRDS_ASSET)
  await mkdir(assetsFolder, { recursive: true })
  // Two may do this at once.
  const half = `${file}.${process.pid}`
  await writeFile(half, content)
  await rename(half, file)
  return [file]
}
