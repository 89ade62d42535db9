import path from 'node:path'
import type { Ports } from '../core/ports.ts'
import { assetsIn } from './asset-folder.ts'

/** Assets beside the bundle, in `assets/`, as `infra/assets.ts` copies them. */
export const bundledAssets = (): Ports['asset'] =>
  // Bundles are CommonJS: it is the folder of `index.js`.
  assetsIn(path.join(__dirname, 'assets'), 'Run npm run assets where fedplane is deployed from, and deploy it again.')
