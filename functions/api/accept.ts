import { AnswerNotAcceptable } from './framework-errors.ts'

const GOOD = ['*/*', 'application/*', 'application/json']

const allows = (range: string): boolean => {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  return GOOD.includes(type) && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
}

/** Demands that JSON is acceptable; an empty header is none (openstacksdk sends one). @throws AnswerNotAcceptable */
export const demandJsonAcceptable = (accept: string | undefined): void => {
  if (accept === undefined || accept.trim() === '' || accept.split(',').some(allows)) return
  throw new AnswerNotAcceptable('This API answers with "application/json" only; the header Accept must allow it.')
}
