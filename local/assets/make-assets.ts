import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { list } from 'tar'
import { parse } from 'yaml'
import * as z from 'zod'
import { AppError } from '../../functions/core/values/app-error.ts'
import SUMS from '../../functions/drivers/federation/karmada/v1/crds.sha256.json' with { type: 'json' }
import { CRDS_ASSET, KARMADA_VERSION } from '../../functions/drivers/federation/karmada/v1/model/names.ts'
import { ASSETS_FOLDER, type AssetOptions } from './assets.ts'

/** A place that assets are made from can't be read, or is not what it should be; the message says what to do. */
class AssetSourceInvalid extends AppError {
  override readonly name = 'AssetSourceInvalid'
  readonly kind = 'invalid'
}

/** Files by their own names, without folders. */
type SourceFiles = ReadonlyMap<string, Uint8Array>

/** Longest wait for a release, and its largest size. The archive of Karmada 1.18 has 70 KB. */
const DOWNLOAD_SECONDS = 60
const DOWNLOAD_MAX_BYTES = 20_000_000

const folderFiles = async (folder: string): Promise<SourceFiles> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return new Map(
    await Promise.all(
      files.map(async ({ name, parentPath }) => [name, await readFile(path.join(parentPath, name))] as const),
    ),
  )
}

/** Nothing is unpacked onto the disk, so no name in it leads anywhere. */
const archiveFiles = (archive: Uint8Array, place: string): Promise<SourceFiles> =>
  new Promise((resolve, reject) => {
    const files = new Map<string, Uint8Array>()
    const parser = list({
      strict: true,
      onReadEntry: (entry) => {
        const chunks: Buffer[] = []
        entry.on('data', (chunk: Buffer) => chunks.push(chunk))
        entry.on('end', () => {
          if (entry.type === 'File') files.set(path.posix.basename(entry.path), Buffer.concat(chunks))
        })
      },
    })
    parser.on('error', (cause: unknown) =>
      reject(new AssetSourceInvalid(`${place} is no tar archive that can be read, compressed or not.`, { cause })),
    )
    parser.on('end', () => resolve(files))
    parser.end(Buffer.from(archive))
  })

const download = async (url: string): Promise<Uint8Array> => {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_SECONDS * 1000) })
    if (!answer.ok) throw new AssetSourceInvalid(`${url} was answered with ${answer.status}.`)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of answer.body ?? []) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > DOWNLOAD_MAX_BYTES) throw new AssetSourceInvalid(`${url} has more than ${DOWNLOAD_MAX_BYTES} bytes.`)
    }
    return Buffer.concat(chunks)
  } catch (cause) {
    if (cause instanceof AssetSourceInvalid) throw cause
    throw new AssetSourceInvalid(`${url} can't be fetched.`, { cause })
  }
}

/**
 * The files of a folder and the folders in it, of a tar archive (plain or compressed), or of such an archive at a URL.
 *
 * @throws AssetSourceInvalid
 */
export const sourceFiles = async (place: string): Promise<SourceFiles> => {
  if (/^https?:\/\//.test(place)) return archiveFiles(await download(place), place)
  const found = await stat(place).catch((cause: unknown) => {
    throw new AssetSourceInvalid(`There is nothing at ${place}.`, { cause })
  })
  return found.isDirectory() ? folderFiles(place) : archiveFiles(await readFile(place), place)
}

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
