import process from 'node:process'
import { isAppError } from '../../functions/core/values/app-error.ts'
import { makeAssets } from './make-assets.ts'

const HOW =
  'Let FEDPLANE_KARMADA_CRDS name a folder or tar archive with the CRDs of the release, for example charts/karmada/_crds of its source.'

/** `npm run assets`. */
try {
  const files = await makeAssets({ karmadaCrds: process.env.FEDPLANE_KARMADA_CRDS || undefined })
  process.stdout.write(`${files.join('\n')}\n`)
} catch (error) {
  if (!isAppError(error)) throw error
  process.stderr.write(`assets: ${error.message} ${HOW}\n`)
  process.exitCode = 1
}
