import { existsSync } from 'node:fs'
import path from 'node:path'
import { CRDS_ASSET } from '../../functions/drivers/federation/karmada/v1/model/names.ts'

/** Where assets are until they are deployed, and where `npm start` reads them. */
export const ASSETS_FOLDER = path.resolve(import.meta.dirname, '../../dist/assets')

/** All that drivers ask for, by name. */
export const ASSETS: readonly string[] = [CRDS_ASSET]

export type AssetOptions = {
  /** Default: `dist/assets`. */
  assetsFolder?: string | undefined
  /** Folder, tar archive or URL of Karmada's CRDs. Default: the project's release. */
  karmadaCrds?: string | undefined
}

/** Assets that are not there. */
export const missingAssets = (folder = ASSETS_FOLDER): string[] =>
  ASSETS.filter((name) => !existsSync(path.join(folder, name)))
