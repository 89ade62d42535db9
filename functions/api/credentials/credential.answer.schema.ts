import { type Answers, uuidAnswer } from '../common.answer.schema.ts'

export const CREDENTIAL_ANSWERS: Answers = {
  'PATCH /v1/credentials/{cluster}': { 202: uuidAnswer },
}
