import type { Principal } from '../../../functions/core/values/identity.ts'
import { changeCluster, givenCluster, readCluster } from './entities.ts'
import type { ApiLab } from './lab.ts'
import { ALICE } from './request.ts'

/** Member of ALICE's project without admin rights. */
export const MIA: Principal = { userId: 'mia', projectId: 'blue', roles: ['member'], source: 'token-file' }

/** Creates a template through the API. */
export const postTemplate = async (
  lab: ApiLab,
  attributes: Record<string, unknown> = {},
  as: Principal = ALICE,
): Promise<string> => {
  const body = { coe: 'kubernetes', image_id: 'ubuntu', ...attributes }
  const answer = await lab.call('POST', '/v1/clustertemplates', { as, body })
  if (answer.status !== 201) throw new Error(`the template was refused: ${answer.text}`)
  return answer.body.uuid
}

/** A cluster of `projectId` that was made from the template, as the flows leave it. */
export const useTemplate = async (
  lab: ApiLab,
  { id, projectId = 'blue' }: { id: string; projectId?: string },
  { name, as = ALICE }: { name: string; as?: Principal },
): Promise<string> => {
  const clusterId = await givenCluster(lab, { name, as })
  const { magnum } = await readCluster(lab, clusterId, as)
  const ofTemplate = { ...magnum, clusterTemplateId: id, templateProjectId: projectId }
  await changeCluster(lab, clusterId, { magnum: ofTemplate }, as)
  await lab.stores.commit([lab.stores.templates.countUse({ projectId, id }, 1)])
  return clusterId
}
