import { InvalidRequest } from '../errors.ts'
import { isOlderVersion, KUBERNETES_VERSION } from '../values/kubernetes.ts'
import { quote } from '../values/wording.ts'

type Comparator = { operator: string; version: string; parts: number }

const COMPARATOR = /^(>=|<=|>|<|=)?v?(\d{1,3})(?:\.(\d{1,3}))?(?:\.(\d{1,3}))?$/

const partsOf = (version: string, count: number): string => {
  const numbers = version.replace(/^v/, '').split(/[-+]/)[0]?.split('.') ?? []
  return [0, 1, 2].map((at) => (at < count ? (numbers[at] ?? '0') : '0')).join('.')
}

/**
 * Reads a range: comparators with blanks between them, all of which must hold, such as `>=1.31 <1.34`. Own and small: the package `semver` takes
 * `1.31.2-gke.100` for a preview that is older than 1.31.2, and is in no range.
 *
 * @throws InvalidRequest
 */
export const parseVersionRange = (text: string): readonly Comparator[] =>
  text
    .trim()
    .replaceAll(/([<>=])\s+/g, '$1')
    .split(/\s+/)
    .map((part) => {
      const match = COMPARATOR.exec(part)
      if (match === null)
        throw new InvalidRequest(
          `The version range ${quote(text)} can't be read at ${quote(part)}. It is one or more of =, <, <=, > and >= with a version, for example ">=1.31 <1.34".`,
        )
      const [, operator = '=', ...numbers] = match
      const given = numbers.filter((number) => number !== undefined)
      return { operator, version: given.join('.'), parts: given.length }
    })

/** Compares as many parts as the comparator has: 1.31.5 is `=1.31` and `<=1.31`, and not `>1.31`. */
const isWithin = ({ operator, version, parts }: Comparator, found: string): boolean => {
  const [one, other] = [partsOf(found, parts), partsOf(version, parts)]
  const [isOlder, isNewer] = [isOlderVersion(one, other), isOlderVersion(other, one)]
  if (operator === '>') return isNewer
  if (operator === '<') return isOlder
  if (operator === '=') return !isOlder && !isNewer
  return operator === '>=' ? !isOlder : !isNewer
}

/** True for a version of Kubernetes within all comparators. One that is not known is in no range. */
export const isInRange = (range: readonly Comparator[], version: string | null): boolean =>
  version !== null && KUBERNETES_VERSION.test(version) && range.every((comparator) => isWithin(comparator, version))
