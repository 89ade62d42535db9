import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ObjectNotFound } from '../../../../../kubernetes/errors.ts'
import { ManagementUnreachable } from '../../../../contract/errors.ts'
import { listAll } from '../../../../support/owned.ts'
import { resourceNames } from './api-resources.schema.ts'

/** A management cluster, and its name for messages. */
type Place = { client: KubernetesClient; where: string }

const unserved = ({ where }: Place, { group, version, plural }: Resource, cause?: unknown): ManagementUnreachable =>
  new ManagementUnreachable(
    `Management cluster ${where} does not serve ${plural} of ${group}/${version} at the moment, so that nothing is known of what it makes. Its operators have to bring Cluster API back in that version.`,
    { cause },
  )

const isServed = async ({ client }: Place, { group, version, plural }: Resource): Promise<boolean> => {
  const { status, body } = await client.raw(`/apis/${group}/${version}`)
  return status === 200 && resourceNames(body).includes(plural)
}

/**
 * One object; undefined when there is none. A kind that is not served is answered with 404 just as well, and nothing of it is gone: its definitions are
 * missing, or were changed, for example by half of an upgrade.
 *
 * @throws ManagementUnreachable
 */
export const getServed = async (
  place: Place,
  resource: Resource,
  name: string,
): Promise<KubernetesObject | undefined> => {
  const object = await place.client.get(resource, name)
  if (object === undefined && !(await isServed(place, resource))) throw unserved(place, resource)
  return object
}

/** All with the label. @throws ManagementUnreachable */
export const listServed = async (place: Place, resource: Resource, selector: string): Promise<KubernetesObject[]> => {
  try {
    return await listAll(place.client, resource, selector)
  } catch (error) {
    throw error instanceof ObjectNotFound ? unserved(place, resource, error) : error
  }
}
