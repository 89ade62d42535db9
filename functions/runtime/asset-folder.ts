import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Ports } from '../core/ports.ts'
import { AssetMissing } from '../drivers/contract/errors.ts'

/** Of files that our own tools make: no way out of the folder. */
const NAME = /^[a-z0-9][a-z0-9.-]*$/

/**
 * The port for files that come with an installation, from a folder. Keeps what it read.
 *
 * @param remedy what to do when one is missing, as a whole sentence
 */
export const assetsIn = (folder: string, remedy: string): Ports['asset'] => {
  const kept = new Map<string, Promise<Uint8Array>>()
  const read = async (name: string): Promise<Uint8Array> => {
    if (!NAME.test(name))
      throw new AssetMissing(`${JSON.stringify(name)} is not the name of a file of an installation.`)
    try {
      return await readFile(path.join(folder, name))
    } catch (cause) {
      throw new AssetMissing(`The file ${name} does not come with this installation. ${remedy}`, { cause })
    }
  }
  return (name) => {
    const before = kept.get(name)
    if (before !== undefined) return before
    const content = read(name)
    kept.set(name, content)
    // It may be put there meanwhile.
    content.catch(() => kept.delete(name))
    return content
  }
}
