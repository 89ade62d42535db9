import type { ObjectRef } from '../../../functions/core/values/object-ref.ts'
import type { KubernetesClient, Resource } from '../../../functions/kubernetes/client.ts'
import { KINDS, remainsOf } from '../../../local/demo/observe.ts'

export const resourceOf = (ref: ObjectRef): Resource => {
  const [, known] = KINDS.find(([kind]) => kind === ref.kind) ?? []
  if (known === undefined) throw new Error(`the demo and the tests know no ${ref.kind}: add it to KINDS`)
  const resource = { ...known, version: ref.apiVersion.split('/').at(-1) ?? '' }
  return ref.namespace === '' ? resource : { ...resource, namespace: ref.namespace }
}

/** Everything in a cluster that carries a federation's label, as `Kind namespace/name` or `Kind name`. */
export const labelled = async (client: KubernetesClient, federationId: string): Promise<string[]> =>
  (await remainsOf(client, federationId)).map(({ text }) => text).sort()
