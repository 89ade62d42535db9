import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import { ForeignObject } from '../../../../contract/errors.ts'
import { isTerminating } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import {
  classNamespaceObject,
  foreignClassNamespace,
  isClassNamespace,
  isNamespaceOf,
  namespaceObject,
} from '../render/namespace.ts'
import { makeNew } from './make-new.ts'
import type { ManagementSite } from './site.ts'

type Wanted = {
  object: KubernetesObject
  isOurs(existing: KubernetesObject): boolean
  /** What to say of one that is not. */
  foreign: string
}

/** Makes a namespace when it is not there. @throws ForeignObject, Pending */
const ensure = async ({ client }: ManagementSite, { object, isOurs, foreign }: Wanted): Promise<void> => {
  const { name } = object.metadata
  const existing = await client.get(namespaces, name)
  if (existing === undefined) {
    await makeNew(client, namespaces, object)
    return
  }
  if (!isOurs(existing)) throw new ForeignObject(foreign)
  if (isTerminating(existing)) throw new Pending(`namespace ${name} to be gone before it is made again`)
}

/** The project's namespace. @throws ForeignObject, Pending */
export const ensureProjectNamespace = (site: ManagementSite, { projectId }: Cluster): Promise<void> =>
  ensure(site, {
    object: namespaceObject(site.names, projectId),
    isOurs: (existing) => isNamespaceOf(existing, projectId),
    foreign:
      `Namespace ${site.names.namespace} in management cluster ${site.where} was not made by fedplane for project ${projectId}, so nothing is put into it. ` +
      'Remove or rename it, or register the management cluster with another namespace_prefix.',
  })

/** The namespace of the classes, for all projects. @throws ForeignObject, Pending */
export const ensureClassNamespace = (site: ManagementSite): Promise<void> =>
  ensure(site, {
    object: classNamespaceObject(site.classNamespace),
    isOurs: isClassNamespace,
    foreign: foreignClassNamespace(site.classNamespace, site.where),
  })
