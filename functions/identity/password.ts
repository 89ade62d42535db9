import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** Cost of scrypt: 64 MiB and 0.3 s for each guess (OWASP's second choice; its first would take 128 MiB of a function). */
const COST = { N: 2 ** 16, r: 8, p: 2 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32

/** Every hash has the same cost, so that the time of a refusal does not tell whether there is such a user. */
const PREFIX = '$scrypt$ln=16,r=8,p=2$'
const FORM = /^\$scrypt\$ln=16,r=8,p=2\$([\w+/]{22})\$([\w+/]{43})$/

/** True for a line of `hashPassword`. */
export const isPasswordHash = (text: string): boolean => FORM.test(text)

/** At once in one process: libuv has four threads, which files and names of hosts need too. */
const AT_ONCE = 2
const WAITING_MAX = 10
let running = 0
const waiting: (() => void)[] = []

/** More passwords wait to be checked than this process takes. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy'
}

/** @throws PasswordsBusy */
const takeTurn = async (): Promise<void> => {
  if (running < AT_ONCE) {
    running += 1
    return
  }
  if (waiting.length >= WAITING_MAX) throw new PasswordsBusy('Too many passwords are being checked.')
  await new Promise<void>((resolve) => waiting.push(resolve))
}

/** Hands the turn on, so that nobody gets in between. */
const passTurn = (): void => {
  const next = waiting.shift()
  if (next === undefined) running -= 1
  else next()
}

// Node's own bound, 32 MiB, is below what this takes.
const OPTIONS: ScryptOptions = { ...COST, maxmem: 256 * COST.N * COST.r }

const derive = async (password: string, salt: Buffer): Promise<Buffer> => {
  await takeTurn()
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(password.normalize('NFKC'), salt, HASH_BYTES, OPTIONS, (error, key) => (error ? reject(error) : resolve(key)))
  return promise.finally(passTurn)
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** `$scrypt$ln=16,r=8,p=2$<salt>$<hash>`, base64 without padding, as passlib writes it. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(SALT_BYTES)
  return `${PREFIX}${base64(salt)}$${base64(await derive(password, salt))}`
}

/** For users that are not there: the same work, and no password fits. */
const NOBODY = { salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) }

/**
 * Takes as long whether there is a hash or not.
 *
 * @param hash undefined for a user that is not there
 * @throws PasswordsBusy
 */
export const verifyPassword = async (password: string, hash: string | undefined): Promise<boolean> => {
  const [, salt, expected] = FORM.exec(hash ?? '') ?? []
  const known = salt === undefined || expected === undefined ? undefined : { salt, expected }
  const derived = await derive(password, known ? Buffer.from(known.salt, 'base64') : NOBODY.salt)
  return timingSafeEqual(derived, known ? Buffer.from(known.expected, 'base64') : NOBODY.hash) && known !== undefined
}
