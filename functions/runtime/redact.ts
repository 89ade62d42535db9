import { isAppError } from '../core/values/app-error.ts'
import { Secret } from '../core/values/secret.ts'

const MASK = '***'
/** Deeper values are cut: log lines are facts, not documents. */
const DEPTH_MAX = 8
/** Fields whose text is never shown, whoever logs them. Compared without case, `-` and `_`. */
const SECRET_FIELDS = new Set([
  'authorization',
  'clientkeydata',
  'keypem',
  'kubeconfig',
  'password',
  'plaintext',
  'privatekey',
  'token',
  'xauthtoken',
])
/** Parsers quote their input in the message: a broken kubeconfig would show its token. */
const QUOTES_INPUT = /^(SyntaxError|YAML\w*)$/

const isSecretField = (name: string): boolean => SECRET_FIELDS.has(name.toLowerCase().replaceAll(/[-_]/g, ''))

const frames = (error: Error): string[] =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())

/** Ours are safe by contract, the AWS SDK's tell what was refused; others' may quote an answer's body. */
const isSafeCause = (error: unknown): boolean => !(error instanceof Error) || isAppError(error) || '$metadata' in error

const nameAndCode = (error: unknown): Record<string, unknown> => ({
  ...(error instanceof Error ? { name: error.name } : {}),
  ...(error instanceof Error && 'code' in error ? { code: error.code } : {}),
})

const errorFields = (error: Error): Record<string, unknown> => ({
  name: error.name,
  message: QUOTES_INPUT.test(error.name) ? MASK : error.message,
  ...(isAppError(error) ? { kind: error.kind, details: error.details } : { stack: frames(error) }),
  ...(error.cause === undefined ? {} : { cause: isSafeCause(error.cause) ? error.cause : nameAndCode(error.cause) }),
})

const fieldsOf = (value: object): Record<string, unknown> => ({ ...value })

const redactFields = (fields: Record<string, unknown>, seen: readonly object[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecretField(name) && value !== null && value !== undefined ? MASK : redactValue(value, seen),
    ]),
  )

const redactObject = (value: object, seen: readonly object[]): unknown => {
  if (value instanceof Secret) return MASK
  if (value instanceof Date) return value
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`
  if (seen.includes(value)) return '<circular>'
  if (seen.length >= DEPTH_MAX) return '<deep>'
  const path = [...seen, value]
  if (Array.isArray(value)) return value.map((item) => redactValue(item, path))
  return redactFields(value instanceof Error ? errorFields(value) : fieldsOf(value), path)
}

const redactValue = (value: unknown, seen: readonly object[]): unknown =>
  typeof value === 'object' && value !== null ? redactObject(value, seen) : value

/**
 * A copy of log fields that is safe to write: secrets, key material, and fields with a secret's name become `***`; errors become
 * plain objects (our own without a stack) with their causes, others' causes as name and code only; bytes become their number; cycles are cut.
 */
export const redact = (fields: Record<string, unknown>): Record<string, unknown> => redactFields(fields, [])
