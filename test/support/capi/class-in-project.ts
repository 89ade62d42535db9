import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'
import type { ClusterLab } from '../drivers/cluster-life.ts'

type Sent = { topology?: { classRef: { name: string; namespace?: string } } }

/** The same client, which takes the namespace of the class out of each Cluster that it sends. */
const withoutNamespace = (client: KubernetesClient): KubernetesClient => ({
  ...client,
  apply: (resource, object, options) => {
    const { topology } = (object.spec ?? {}) as Sent
    if (topology === undefined) return client.apply(resource, object, options)
    const { namespace: _, ...classRef } = topology.classRef
    const spec = { ...(object.spec as object), topology: { ...topology, classRef } }
    return client.apply(resource, { ...object, spec }, options)
  },
})

/** A lab in which clusters are made as by versions of fedplane whose classes were in each project's namespace. The classes have to be there. */
export const withClassInProject = <Lab extends ClusterLab>(lab: Lab): Lab => {
  const { management } = lab
  if (management === undefined) throw new Error('the lab has no management cluster')
  const access = { ...management.access, client: async () => withoutNamespace(await management.access.client()) }
  return { ...lab, management: { ...management, access } }
}
