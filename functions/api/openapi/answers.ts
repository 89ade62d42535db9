import type { Answers } from '../answers.ts'
import { CERTIFICATE_ANSWERS } from '../certificates/certificate.answer.schema.ts'
import { CLUSTER_ANSWERS } from '../clusters/cluster.answer.schema.ts'
import { TEMPLATE_ANSWERS } from '../clustertemplates/template.answer.schema.ts'
import { CREDENTIAL_ANSWERS } from '../credentials/credential.answer.schema.ts'
import { DISCOVERY_ANSWERS } from '../discovery/discovery.answer.schema.ts'
import { DRIVER_ANSWERS } from '../drivers/driver.answer.schema.ts'
import { FEDERATION_ANSWERS } from '../federations/federation.answer.schema.ts'
import { MSERVICE_ANSWERS } from '../mservices/mservice.answer.schema.ts'
import { NODE_GROUP_ANSWERS } from '../nodegroups/node-group.answer.schema.ts'
import { QUOTA_ANSWERS } from '../quotas/quota.answer.schema.ts'
import { STATS_ANSWERS } from '../stats/stats.answer.schema.ts'

/** What every route answers: a test compares with the route table. */
export const ANSWERS: Answers = {
  ...DISCOVERY_ANSWERS,
  ...CLUSTER_ANSWERS,
  ...TEMPLATE_ANSWERS,
  ...NODE_GROUP_ANSWERS,
  ...CERTIFICATE_ANSWERS,
  ...CREDENTIAL_ANSWERS,
  ...FEDERATION_ANSWERS,
  ...DRIVER_ANSWERS,
  ...QUOTA_ANSWERS,
  ...STATS_ANSWERS,
  ...MSERVICE_ANSWERS,
}
