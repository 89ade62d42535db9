import { AppError } from '../../core/values/app-error.ts'
import { quoteUpTo } from '../../core/values/wording.ts'

/** Why a kubeconfig is refused: stable words for callers, the `error_class` of the shared cases. */
type KubeconfigFault =
  | 'conflicting_fields'
  | 'context_required'
  | 'credential_expired'
  | 'credential_not_yet_valid'
  | 'duplicate_name'
  | 'forbidden_address'
  | 'incomplete_credential'
  | 'insecure_server_url'
  | 'invalid_base64'
  | 'invalid_credential'
  | 'invalid_kubeconfig'
  | 'invalid_pem'
  | 'invalid_server_url'
  | 'invalid_type'
  | 'invalid_yaml'
  | 'key_mismatch'
  | 'local_file_reference'
  | 'multiple_documents'
  | 'not_a_kubeconfig'
  | 'tls_verification_disabled'
  | 'too_deep'
  | 'too_large'
  | 'unsupported_auth'
  | 'unsupported_encoding'
  | 'unsupported_field'
  | 'yaml_alias_limit'

type RejectionDetails = {
  /** Paths such as `users[0].user.tokenFile`; the first is also `details.field`. */
  fields?: readonly string[]
  /** More facts that are safe to show. */
  facts?: Readonly<Record<string, unknown>>
}

/**
 * The kubeconfig can't be taken. `details.class` is a `KubeconfigFault`, `details.field` and `details.fields` say where; the message
 * says what to do instead. Never has a cause and never holds a value of the file other than names, addresses and dates.
 */
export class KubeconfigRejected extends AppError {
  override readonly name = 'KubeconfigRejected'
  readonly kind: 'invalid' | 'too-large'

  constructor(fault: KubeconfigFault, message: string, { fields = [], facts = {} }: RejectionDetails = {}) {
    const where = fields.length === 0 ? {} : { field: fields[0], fields }
    super(message, { details: { class: fault, ...where, ...facts } })
    this.kind = fault === 'too_large' ? 'too-large' : 'invalid'
  }
}

/**
 * What a kubeconfig's text says. Mappings are Maps: names such as `__proto__` and `constructor` are data in them (cases/KC-19).
 */
export type Tree = TreeMap | readonly Tree[] | string | number | boolean | null
export type TreeMap = ReadonlyMap<string, Tree>

/** Deepest nesting that is read. A kubeconfig with an exec entry has 7 levels; `extensions` may have a few more. */
export const MAX_DEPTH = 64
/** Most values that are read, aliases expanded: some 1,000 clusters with their users and contexts. */
const MAX_VALUES = 20_000

export const tooDeep = (): KubeconfigRejected =>
  new KubeconfigRejected(
    'too_deep',
    `The kubeconfig is nested deeper than ${MAX_DEPTH} levels; a kubeconfig has about 7.`,
  )

export const isTreeMap = (tree: Tree | undefined): tree is TreeMap => tree instanceof Map

export const isTreeList = (tree: Tree | undefined): tree is readonly Tree[] => Array.isArray(tree)

const tooManyValues = (): KubeconfigRejected =>
  new KubeconfigRejected(
    'too_large',
    `The kubeconfig has more than ${MAX_VALUES} values; send the one context only (kubectl config view --flatten --minify --raw).`,
  )

const scalarOf = (value: unknown): Tree =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null

const entriesOf = (value: object): [string, unknown][] => (value instanceof Map ? [...value] : Object.entries(value))

/** The tree of parsed JSON, or of YAML whose mappings are Maps; aliases count as what they stand for. @throws KubeconfigRejected `too_deep`, `too_large` */
export const treeOf = (parsed: unknown): Tree => {
  let values = 0
  const visit = (value: unknown, depth: number): Tree => {
    values += 1
    if (depth > MAX_DEPTH) throw tooDeep()
    if (values > MAX_VALUES) throw tooManyValues()
    if (Array.isArray(value)) return value.map((item) => visit(item, depth + 1))
    if (value === null || typeof value !== 'object') return scalarOf(value)
    return new Map(entriesOf(value).map(([key, item]) => [key, visit(item, depth + 1)]))
  }
  return visit(parsed, 0)
}

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
