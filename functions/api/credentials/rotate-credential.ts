import { requestTask } from '../../operations/cluster-tasks.ts'
import { untilNoConflict } from '../../operations/conflict.ts'
import { demandRotatable } from '../certificates/demand-rotatable.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'

const decide = async (request: ApiRequest): Promise<string> => {
  const { ports } = request
  const cluster = await findCluster(request)
  const { id, name } = cluster
  const task = { kind: 'rotate-credential' } as const
  await demandRotatable(ports, cluster, task)
  await requestTask(ports, cluster, {
    task,
    said: { reason: 'CredentialRotation', message: `The credential of cluster ${name} is being replaced.` },
  })
  return id
}

/** `PATCH /v1/credentials/{cluster}` → 202 (magnum-rest.md 7.2): the driver makes a new credential for the cluster and drops the old one. */
export const rotateCredential = async (request: ApiRequest): Promise<ApiResponse> => {
  const uuid = await untilNoConflict(() => decide(request))
  return { status: 202, body: { uuid } }
}
