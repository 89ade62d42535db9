import { DeploymentSettings } from './settings.schema.ts'

type Schema = { def: { type: string; innerType?: Schema } }

/** What a setting is once its default and its being optional are taken away: `array`, `boolean`, `number`, `record` or some text. */
const kindOf = ({ def }: Schema): string => (def.innerType === undefined ? def.type : kindOf(def.innerType))

const listOf = (text: string): string[] => text.split(',').flatMap((part) => part.trim() || [])

/** Text that is no such value stays text, which the schema then refuses by the setting's name. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  array: listOf,
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
  number: (text) => (/^-?[0-9]+$/.test(text) ? Number(text) : text),
  record: (text) =>
    Object.fromEntries(
      listOf(text).map((pair) => {
        const [name = '', ...value] = pair.split('=')
        return [name.trim(), READERS.number?.(value.join('=').trim())]
      }),
    ),
}

const SHAPE: Readonly<Record<string, Schema>> = DeploymentSettings.shape

/** Names of all settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(SHAPE)

/**
 * A setting of the context as its schema wants it. `-c name=value` gives text: lists are separated by commas, records are `a=1,b=2`. What
 * cdk.json has in another form stays as it is.
 */
export const fromContext = (name: string, value: unknown): unknown => {
  const schema = SHAPE[name]
  if (typeof value !== 'string' || schema === undefined) return value
  const read = READERS[kindOf(schema)]
  return read === undefined ? value : read(value)
}
