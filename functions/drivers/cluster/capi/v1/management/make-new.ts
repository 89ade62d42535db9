import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ObjectConflict } from '../../../../../kubernetes/errors.ts'
import { Pending } from '../../../../support/step.ts'
import { titled } from './owned.ts'

/** Makes what was not there a moment ago. Somebody else may have been quicker: it is looked at again. @throws Pending */
export const makeNew = async (
  client: KubernetesClient,
  resource: Resource,
  object: KubernetesObject,
): Promise<void> => {
  try {
    await client.create(resource, object)
  } catch (error) {
    throw error instanceof ObjectConflict ? new Pending(`${titled(object)}, which somebody else makes`) : error
  }
}
