import { stringify } from 'yaml'
import { usageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { shown, table } from './table.ts'

/** Formats of kubectl; `wide` is a table with more columns. */
export const FORMATS = ['table', 'wide', 'json', 'yaml', 'name', 'jsonpath=TEMPLATE'] as const
const JSON_PATH = 'jsonpath='

export type Column<T> = { heading: string; value: (item: T) => string; isWide?: boolean }

/** How things of one kind are shown. */
export type Kind<T> = {
  /** `federation`, as `-o name` writes it. */
  name: string
  /** Of the list in a document: `federations`, as in the API. */
  list: string
  columns: readonly Column<T>[]
  nameOf: (item: T) => string
}

const isFormat = (format: string): boolean =>
  format.startsWith(JSON_PATH) || FORMATS.some((known) => known === format && known !== 'jsonpath=TEMPLATE')

/** For the option parser. @throws CliError */
export const formatOf = (text: string): string => {
  if (isFormat(text)) return text
  throw usageError(`-o ${text} is no format. It is one of ${FORMATS.join(', ')}.`)
}

/** Text in a format that is not for people; undefined for the others. */
const document = async (format: string, value: unknown): Promise<string | undefined> => {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`
  if (format === 'yaml') return stringify(value, { lineWidth: 0 })
  if (!format.startsWith(JSON_PATH)) return undefined
  const { fillJsonPath } = await import('./json-path.ts')
  return fillJsonPath(format.slice(JSON_PATH.length), value)
}

/** Items under the headings of their kind. */
export const tableOf = <T>({ columns }: Kind<T>, items: readonly T[], isWide = false): string => {
  const chosen = columns.filter((column) => isWide || !column.isWide)
  return table(
    chosen.map(({ heading }) => heading),
    items.map((item) => chosen.map(({ value }) => value(item))),
  )
}

/** A list, in the format asked for. In `json`, `yaml` and `jsonpath` it is the API's own document, of all pages. */
export const printList = async <T>(io: Io, format: string, kind: Kind<T>, items: readonly T[]): Promise<void> => {
  const text = await document(format, { [kind.list]: items })
  if (text !== undefined) io.stdout.write(text)
  else if (format === 'name')
    io.stdout.write(items.map((item) => `${kind.name}/${shown(kind.nameOf(item))}\n`).join(''))
  else if (items.length === 0) io.stderr.write(`There are no ${kind.list}.\n`)
  else io.stdout.write(tableOf(kind, items, format === 'wide'))
}

/** One thing. `describe` writes what people read, and is called only for them. */
export const printOne = async <T>(
  io: Io,
  format: string,
  { kind, item, describe }: { kind: Kind<T>; item: T; describe: (item: T) => string | Promise<string> },
): Promise<void> => {
  const text = await document(format, item)
  if (text !== undefined) io.stdout.write(text)
  else if (format === 'name') io.stdout.write(`${kind.name}/${shown(kind.nameOf(item))}\n`)
  else io.stdout.write(await describe(item))
}
