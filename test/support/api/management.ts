import type { Principal } from '../../../functions/core/values/identity.ts'
import { givenCluster, settleCluster } from './entities.ts'
import { kubeconfigText } from './kubeconfigs.ts'
import type { Answer, ApiLab } from './lab.ts'
import { ALICE, BOB } from './request.ts'

/** Of Alice's project, but no administrator. */
export const CAROL: Principal = { ...ALICE, userId: 'carol', roles: ['member', 'reader'] }
/** Has the management clusters, in a project of its own. */
export const ROOT: Principal = { userId: 'root', projectId: 'operators', roles: ['admin'], source: 'token-file' }
/** Of another project than Alice. */
export const OTHER: Principal = BOB

/** Registers a management cluster as `ROOT`, and brings it to a status. */
export const givenManagement = (
  lab: ApiLab,
  {
    name,
    status = 'CREATE_COMPLETE',
    ...more
  }: { name: string; status?: 'CREATE_COMPLETE' | 'CREATE_FAILED' } & Record<string, unknown>,
): Promise<string> =>
  givenCluster(lab, {
    name,
    status,
    as: ROOT,
    body: { kubeconfig: kubeconfigText(), management: { infrastructure: 'dev', ...more } },
  })

/** Asks for a cluster of `managed@1`, made through a management cluster. */
export const postManaged = (lab: ApiLab, body: object = {}, as: Principal = CAROL): Promise<Answer> =>
  lab.call('POST', '/v1/clusters', {
    as,
    body: { name: 'shop', driver: 'managed@1', ...body },
    headers: { 'OpenStack-API-Version': 'container-infra latest' },
  })

/** One that is there. */
export const givenManaged = async (lab: ApiLab, body: object = {}, as: Principal = CAROL): Promise<string> => {
  const answer = await postManaged(lab, body, as)
  if (answer.status !== 202) throw new Error(`a cluster was refused: ${answer.text}`)
  await settleCluster(
    lab,
    answer.body.uuid,
    { status: 'CREATE_COMPLETE', identity: { uid: `uid-of-${answer.body.uuid}`, user: 'admin' } },
    as,
  )
  return answer.body.uuid
}

/** How many clusters are made through each management cluster. */
export const countsOf = async (lab: ApiLab): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await lab.stores.management.list('managed@1')).map(({ id, clusterCount }): [string, number] => [id, clusterCount]),
  )
