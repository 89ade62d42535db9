import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { parse } from 'yaml'
import * as z from 'zod'
import SUMS from '../../functions/drivers/federation/karmada/v1/crds.sha256.json' with { type: 'json' }
import { KARMADA_VERSION } from '../../functions/drivers/federation/karmada/v1/names.ts'
import { AssetSourceInvalid, type SourceFiles } from './asset-source.ts'

/** Where the project publishes the CRDs of the release. */
export const KARMADA_CRDS_URL = `https://github.com/karmada-io/karmada/releases/download/v${KARMADA_VERSION}/crds.tar.gz`

const Crd = z.looseObject({ kind: z.literal('CustomResourceDefinition') })

const checked = (files: SourceFiles, name: string, sum: string): Uint8Array => {
  const content = files.get(name)
  if (content === undefined) {
    throw new AssetSourceInvalid(
      `The CRDs of Karmada ${KARMADA_VERSION} lack ${name}; give those of this very release.`,
    )
  }
  const actual = createHash('sha256').update(content).digest('hex')
  if (actual === sum) return content
  throw new AssetSourceInvalid(
    `${name} is not the one of Karmada ${KARMADA_VERSION}: its SHA-256 is ${actual} and must be ${sum}. Give the CRDs of this very release.`,
  )
}

const crdOf = (name: string, content: Uint8Array): unknown => {
  const parsed = Crd.safeParse(parse(Buffer.from(content).toString('utf8')))
  if (parsed.success) return parsed.data
  throw new AssetSourceInvalid(`${name} is no CRD.`)
}

/**
 * One file with the CRDs of the release that karmada@1 sets up: a JSON list, gzipped, the same bytes each time. What else is in the source, such as the
 * release's kustomize patches, is left out.
 *
 * @param sums SHA-256 by file; default: those of the release, `crds.sha256.json`
 * @throws AssetSourceInvalid naming the file that is missing or has another sum
 */
export const karmadaCrds = (files: SourceFiles, sums: Readonly<Record<string, string>> = SUMS): Uint8Array => {
  const crds = Object.entries(sums).map(([name, sum]) => crdOf(name, checked(files, name, sum)))
  return gzipSync(JSON.stringify(crds), { level: 9 })
}
