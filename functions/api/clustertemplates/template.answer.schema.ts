import * as z from 'zod'
import { NETWORK_DRIVERS, SERVER_TYPES } from '../../core/cluster/cluster-template.ts'
import type { Answers } from '../answers.ts'
import { linksAnswer, pageAnswer, textMapAnswer, timeAnswer } from '../common.answer.schema.ts'

const text = z.string().nullable()

/** A template as every answer has it (magnum-rest.md section 5). */
export const templateAnswer = z.object({
  uuid: z.guid(),
  name: text,
  coe: z.literal('kubernetes'),
  image_id: z.string(),
  flavor_id: text,
  master_flavor_id: text,
  keypair_id: text,
  external_network_id: text,
  fixed_network: text,
  fixed_subnet: text,
  network_driver: z.enum(NETWORK_DRIVERS).nullable(),
  volume_driver: text,
  dns_nameserver: text,
  apiserver_port: z.int().nullable(),
  docker_volume_size: z.int().nullable(),
  docker_storage_driver: text,
  labels: textMapAnswer.nullable(),
  server_type: z.enum(SERVER_TYPES),
  cluster_distro: text,
  registry_enabled: z.boolean(),
  insecure_registry: text,
  tls_disabled: z.boolean(),
  master_lb_enabled: z.boolean(),
  floating_ip_enabled: z.boolean(),
  http_proxy: text,
  https_proxy: text,
  no_proxy: text,
  public: z.boolean(),
  hidden: z.boolean(),
  tags: text,
  driver: z.string(),
  project_id: z.string(),
  user_id: z.string(),
  links: linksAnswer,
  created_at: timeAnswer,
  updated_at: timeAnswer.nullable(),
})

const templatesAnswer = pageAnswer('clustertemplates', templateAnswer)

export const TEMPLATE_ANSWERS: Answers = {
  'GET /v1/clustertemplates': { 200: templatesAnswer },
  'POST /v1/clustertemplates': { 201: templateAnswer },
  'GET /v1/clustertemplates/detail': { 200: templatesAnswer },
  'GET /v1/clustertemplates/{clustertemplate}': { 200: templateAnswer },
  'PATCH /v1/clustertemplates/{clustertemplate}': { 200: templateAnswer },
  'DELETE /v1/clustertemplates/{clustertemplate}': { 204: null },
}
