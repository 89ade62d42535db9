import { quoteUpTo } from '../../core/values/wording.ts'
import { KubeconfigRejected } from './kubeconfig-rejected.ts'
import type { Tree, TreeMap } from './tree.ts'

/** One mapping of the file and where it is, for example `clusters[0].cluster`. */
export type Section = { path: string; map: TreeMap }

/** True for a value that says something: kubectl writes null and `""` where nothing is set. */
export const isSet = (value: Tree | undefined): boolean => value !== undefined && value !== null && value !== ''

/** Text of a field; undefined when it is absent, null or empty. @throws KubeconfigRejected `invalid_type` */
export const textField = ({ path, map }: Section, key: string): string | undefined => {
  const value = map.get(key)
  if (typeof value === 'string') return value === '' ? undefined : value
  if (value === undefined || value === null) return
  throw invalidType(
    [`${path}.${key}`],
    'text; quote it, since YAML reads bare numbers and words such as `no` as other types',
  )
}

/** A boolean; false when it is absent or null. @throws KubeconfigRejected `invalid_type` for text such as "true" (cases/UR-09) */
export const booleanField = ({ path, map }: Section, key: string): boolean => {
  const value = map.get(key) ?? false
  if (typeof value === 'boolean') return value
  throw invalidType([`${path}.${key}`], 'true or false without quotes')
}

export const invalidType = (fields: readonly string[], expected: string): KubeconfigRejected =>
  new KubeconfigRejected('invalid_type', `${fields.join(', ')} of the kubeconfig must be ${expected}.`, { fields })

/** Name out of the file as a message shows it: quoted, escaped, cut at 80 characters. */
export const shown = (name: string): string => quoteUpTo(80, name)

/** A key of the file in a path: a mistyped line can make a key of a secret, so only what looks like a field's name is shown. */
export const shownKey = (key: string): string => (/^[A-Za-z][A-Za-z-]{0,40}$/.test(key) ? key : '?')

/** The remedy for anything that points to another file. */
export const FLATTEN_HINT = 'send what `kubectl config view --flatten --minify --raw` prints'
