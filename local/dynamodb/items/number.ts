import { invalid } from '../dynamo-error.ts'

/** DynamoDB's limits: significant digits, and the powers of ten of the first of them. */
const DIGITS_MAX = 38
const POWER_MAX = 125
const POWER_MIN = -130

/** `0.<digits> * 10^exponent`, without zeros at either end; zero has no digits. */
type Decimal = { negative: boolean; digits: string; exponent: number }

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/

const ZERO: Decimal = { negative: false, digits: '', exponent: 0 }

const decimal = (negative: boolean, digits: string, exponent: number): Decimal => {
  const significant = digits.replace(/^0+/, '')
  if (significant === '') return ZERO
  return { negative, digits: significant.replace(/0+$/, ''), exponent: exponent - (digits.length - significant.length) }
}

const checked = (number: Decimal): Decimal => {
  if (number.digits === '') return number
  const power = number.exponent - 1
  if (power > POWER_MAX) {
    throw invalid('Number overflow. Attempting to store a number with magnitude larger than supported range')
  }
  if (power < POWER_MIN) {
    throw invalid('Number underflow. Attempting to store a number with magnitude smaller than supported range')
  }
  if (number.digits.length > DIGITS_MAX) {
    throw invalid('Attempting to store more than 38 significant digits in a Number')
  }
  return number
}

const parse = (text: string): Decimal => {
  const [, sign, whole = '', fraction = '', power = '0'] = FORM.exec(text) ?? []
  if (whole + fraction === '') throw invalid(`The parameter cannot be converted to a numeric value: ${text}`)
  return checked(decimal(sign === '-', whole + fraction, whole.length + Number(power)))
}

/** Without an exponent, as DynamoDB answers. */
const format = ({ negative, digits, exponent }: Decimal): string => {
  if (digits === '') return '0'
  const sign = negative ? '-' : ''
  if (exponent <= 0) return `${sign}0.${'0'.repeat(-exponent)}${digits}`
  if (exponent >= digits.length) return `${sign}${digits}${'0'.repeat(exponent - digits.length)}`
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`
}

/** The one way to write a number: `1.50` becomes `1.5`. @throws DynamoError for what is no number of DynamoDB's range */
export const normalizeNumber = (text: string): string =>
  /^(0|-?[1-9]\d{0,14})$/.test(text) ? text : format(parse(text))

/** As a whole number of units of `10^power`. */
const scaled = ({ negative, digits, exponent }: Decimal, power: number): bigint => {
  const units = BigInt(`0${digits}`) * 10n ** BigInt(digits === '' ? 0 : exponent - digits.length - power)
  return negative ? -units : units
}

const lowestPower = ({ digits, exponent }: Decimal): number =>
  digits === '' ? Number.POSITIVE_INFINITY : exponent - digits.length

/** The sum, or with `sign` -1 the difference, exactly. @throws DynamoError when it has more than 38 digits */
export const addNumbers = (left: string, right: string, sign: 1 | -1 = 1): string => {
  const [one, other] = [parse(left), parse(right)]
  const power = Math.min(lowestPower(one), lowestPower(other))
  if (!Number.isFinite(power)) return '0'
  const sum = scaled(one, power) + BigInt(sign) * scaled(other, power)
  const digits = String(sum < 0n ? -sum : sum)
  return format(checked(decimal(sum < 0n, digits, digits.length + power)))
}

/** Bytes that sort as the numbers do. The exponent comes first, two bytes; of negative numbers all is reversed, shorter ones last. */
export const orderedNumber = (text: string): Buffer => {
  const { negative, digits, exponent } = parse(text)
  if (digits === '') return Buffer.from([1])
  const shifted = exponent - POWER_MIN
  const bytes = Buffer.from([shifted >> 8, shifted & 0xff, ...Buffer.from(digits, 'latin1')])
  if (!negative) return Buffer.concat([Buffer.from([2]), bytes])
  return Buffer.from([0, ...bytes.map((byte) => 255 - byte), 255])
}

/** Bytes that DynamoDB counts for a number: two digits a byte, and one or two more. */
export const numberSize = (text: string): number => {
  const { negative, digits } = parse(text)
  return Math.ceil(digits.length / 2) + 1 + (negative ? 1 : 0)
}
