import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs'
import { AppError } from '../core/values/app-error.ts'

/** A policy file can't be used: the message names the file, the position and the fault. */
export class PolicyTextInvalid extends AppError {
  override readonly name = 'PolicyTextInvalid'
  readonly kind = 'invalid'
}

/** Cedar could not take the question: a fault of ours. The request is refused. */
export class PolicyNotDecided extends AppError {
  override readonly name = 'PolicyNotDecided'
  readonly kind = 'internal'
}

/** The text of one file of policies, or of the schema. */
export type PolicyText = {
  /** As messages name it. */
  file: string
  text: string
}

/** `line:column` of an offset in bytes of UTF-8, both from 1; columns are characters. */
const positionOf = (text: string, offset: number): string => {
  const lines = Buffer.from(text).subarray(0, offset).toString().split('\n')
  return `${lines.length}:${[...(lines.at(-1) ?? '')].length + 1}`
}

const placeOf = ({ file, text }: PolicyText, { sourceLocations: [first] = [] }: DetailedError): string =>
  first === undefined ? file : `${file}:${positionOf(text, first.start)}`

/** Cedar gives policies numbers that nobody sees in the file, and tells first what it was doing. */
const faultOf = ({ message }: DetailedError): string =>
  message.replace(/^(?:for policy `[^`]*`[,:] |failed to parse (?:policies|schema) from string: )/, '')

/** The refusal of a text for the first of its faults. */
export const refusalOf = (source: PolicyText, [first]: readonly DetailedError[]): PolicyTextInvalid => {
  if (first === undefined) return new PolicyTextInvalid(`${source.file} can't be used as policies.`)
  const help = first.help === null ? '' : ` Help: ${first.help.replace(/[^.?!]$/, '$&.')}`
  return new PolicyTextInvalid(`${placeOf(source, first)}: ${faultOf(first)}.${help}`)
}
