import { X509Certificate } from 'node:crypto'
import type { AuthorityType } from '../../../functions/core/cluster/cluster.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import type { AuthorityMaterial } from '../../../functions/store/credential.store.ts'
import { changeCluster, readCluster } from './entities.ts'
import { kubeconfigText } from './kubeconfigs.ts'
import type { ApiLab } from './lab.ts'
import { ALICE } from './request.ts'

/** A colleague in ALICE's project, without her role of an administrator. */
export const CAROL: Principal = {
  userId: 'carol',
  projectId: 'blue',
  roles: ['member', 'reader'],
  source: 'token-file',
}
/** ALICE as she is without the role of an administrator. */
export const ALICE_MEMBER: Principal = { ...ALICE, roles: ['member', 'reader'] }
/** An administrator who is no member of the project. */
export const ADMIN_ALONE: Principal = { userId: 'root', projectId: 'blue', roles: ['admin'], source: 'token-file' }
/** An administrator of another project. */
export const FOREIGN_ADMIN: Principal = { ...ALICE, userId: 'root', projectId: 'green' }

/** The certificate in an answer of `GET /v1/certificates/{cluster}`. */
export const authorityOf = async (lab: ApiLab, cluster: string, query = ''): Promise<X509Certificate> =>
  new X509Certificate((await lab.call('GET', `/v1/certificates/${cluster}${query}`)).body.pem)

export const storedAuthority = async (
  lab: ApiLab,
  clusterId: string,
  type: AuthorityType,
  candidate = false,
): Promise<AuthorityMaterial | undefined> =>
  lab.stores.certificates.open({ projectId: 'blue', clusterId, type, candidate })

/** A registered cluster, whose authority is not ours; `cluster` goes into its entry of the kubeconfig. */
export const givenRegistered = async (lab: ApiLab, cluster = '', body: object = {}): Promise<string> => {
  const answer = await lab.call('POST', '/v1/clusters', {
    body: { kubeconfig: kubeconfigText(undefined, cluster), ...body },
  })
  await changeCluster(lab, answer.body.uuid, { status: 'CREATE_COMPLETE', operation: null })
  return answer.body.uuid
}

/** Makes the cluster one whose template has `tls_disabled`. */
export const disableTls = async (lab: ApiLab, id: string): Promise<void> => {
  const { magnum } = await readCluster(lab, id)
  await changeCluster(lab, id, { magnum: { ...magnum, tlsDisabled: true } })
}
