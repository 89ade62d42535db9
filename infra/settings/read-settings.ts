import { fromContext, SETTING_NAMES } from './context.ts'
import { SettingsInvalid } from './errors.ts'
import { DeploymentSettings } from './settings.schema.ts'

const pathOf = ([name = '', ...rest]: readonly PropertyKey[]): string =>
  `${String(name)}${rest.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')}`

type Issue = { code: string; path: readonly PropertyKey[]; message: string; keys?: readonly string[] }

const namesOf = ({ path, keys }: Issue): string[] =>
  keys === undefined ? [pathOf(path)] : keys.map((key) => pathOf([...path, key]))

/**
 * Parses settings.
 *
 * @throws SettingsInvalid with a sentence for each setting at fault. Values are not shown: a URL may have a password in it.
 */
export const parseSettings = (given: unknown): DeploymentSettings => {
  const parsed = DeploymentSettings.safeParse(given)
  if (parsed.success) return parsed.data
  const faults = (parsed.error.issues as readonly Issue[]).flatMap((issue) =>
    namesOf(issue).map((name) =>
      name === '' ? `The configuration ${issue.message}.` : `The setting ${name} ${issue.message}.`,
    ),
  )
  throw new SettingsInvalid(`${[...new Set(faults)].join(' ')} docs/settings.md has all settings with examples.`)
}

const squeezed = (name: string): string => name.replaceAll(/[-_]/g, '').toLowerCase()

/**
 * A name without `@`, `:`, `/` and `-` is no flag and no cache of CDK's, so it is meant for us; so is one that is a setting's but for the way it is
 * written.
 */
const isOurs = (name: string): boolean =>
  name !== CONFIG && (/^\w+$/.test(name) || SETTING_NAMES.some((setting) => squeezed(setting) === squeezed(name)))

/** Context that names the file to be read in place of `fedplane.config.ts`. */
export const CONFIG = 'config'

/**
 * Settings of file and context. A setting of the context (`-c`, then cdk.json) replaces that of the file whole; an empty text takes the
 * default, whatever the file says.
 *
 * @param file what `fedplane.config.ts` exports; default: nothing
 * @throws SettingsInvalid
 */
export const mergeSettings = (context: Readonly<Record<string, unknown>>, file: object = {}): DeploymentSettings => {
  const given = Object.entries(context).filter(([name, value]) => isOurs(name) && value !== undefined)
  const unknown = given.flatMap(([name]) => (SETTING_NAMES.includes(name) ? [] : [name]))
  if (unknown.length > 0) {
    throw new SettingsInvalid(
      `There is no setting ${unknown.join(', ')} (context). docs/settings.md has all settings with examples.`,
    )
  }
  const merged = { ...file, ...Object.fromEntries(given.map(([name, value]) => [name, fromContext(name, value)])) }
  const empty = given.flatMap(([name, value]) => (value === '' ? [name] : []))
  return parseSettings(Object.fromEntries(Object.entries(merged).filter(([name]) => !empty.includes(name))))
}
