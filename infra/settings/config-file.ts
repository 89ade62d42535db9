import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { SettingsInvalid } from './errors.ts'

/** Beside cdk.json; need not be there. */
const CONFIG_FILE = 'fedplane.config.ts'

/**
 * What the configuration file exports by default; nothing without a file.
 *
 * @param named a file that must be there, from `folder`; default: `fedplane.config.ts`, which need not
 * @throws SettingsInvalid for a file that is not there, can't be loaded or exports no object
 */
export const readConfigFile = async (folder: string, named?: string): Promise<object> => {
  const file = path.resolve(folder, named ?? CONFIG_FILE)
  if (!existsSync(file)) {
    if (named === undefined) return {}
    throw new SettingsInvalid(`There is no configuration file ${named}. Correct the context config, or leave it out.`)
  }
  const loaded: { default?: unknown } = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SettingsInvalid(`The configuration file ${path.basename(file)} can't be loaded: ${reason}`, { cause })
  })
  if (typeof loaded.default === 'object' && loaded.default !== null) return loaded.default
  throw new SettingsInvalid(
    `The configuration file ${path.basename(file)} has no settings. It needs: export default defineConfig({ … }).`,
  )
}
