import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { list } from 'tar'
import { AppError } from '../../functions/core/values/app-error.ts'

/** A place that assets are made from can't be read, or is not what it should be; the message says what to do. */
export class AssetSourceInvalid extends AppError {
  override readonly name = 'AssetSourceInvalid'
  readonly kind = 'invalid'
}

/** Files by their own names, without folders. */
export type SourceFiles = ReadonlyMap<string, Uint8Array>

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
