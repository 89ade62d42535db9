import * as z from 'zod'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { type Answers, answerFields, pageAnswer, textMapAnswer } from '../common.answer.schema.ts'

/** A template as every answer has it (magnum-rest.md section 5). Labels are null in the answer to the patch that removed them. */
export const templateAnswer = z.object(
  answerFields(TEMPLATE_ATTRIBUTES, 'list', { uuid: z.guid(), labels: textMapAnswer.nullable() }),
)

const templatesAnswer = pageAnswer('clustertemplates', templateAnswer)

export const TEMPLATE_ANSWERS: Answers = {
  'GET /v1/clustertemplates': { 200: templatesAnswer },
  'POST /v1/clustertemplates': { 201: templateAnswer },
  'GET /v1/clustertemplates/detail': { 200: templatesAnswer },
  'GET /v1/clustertemplates/{clustertemplate}': { 200: templateAnswer },
  'PATCH /v1/clustertemplates/{clustertemplate}': { 200: templateAnswer },
  'DELETE /v1/clustertemplates/{clustertemplate}': { 204: null },
}
