import * as z from 'zod'
import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'

const GROUP_VERSION = 'multicluster.x-k8s.io/v1alpha2'
const ResourceList = z.object({ resources: z.array(z.object({ name: z.string(), namespaced: z.boolean() })) })
const Profile = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({ clusterManager: z.object({ name: z.string() }) }),
  status: z
    .object({
      conditions: z.array(z.object({ type: z.string() })).default([]),
      version: z.object({ kubernetes: z.string().optional() }).optional(),
    })
    .default({ conditions: [] }),
})
type Profile = z.infer<typeof Profile>

const MEMBER_ID = 'multicluster.x-k8s.io/inventory-member-id'
const MANAGER = 'x-k8s.io/cluster-manager'

export type ConformanceCheck = { id: number; required: boolean; title: string; passed: boolean }

/**
 * The ten checks of the conformance suite of cluster-inventory-api, re-created from reference/clusterprofile.md section 7: the suite
 * itself can't be had as a module yet. It only looks: at one namespace, for the profiles of one manager.
 */
export const checkInventory = async (
  client: KubernetesClient,
  namespace: string,
  manager: string,
): Promise<ConformanceCheck[]> => {
  const discovery = await client.raw(`/apis/${GROUP_VERSION}`)
  const listed = await client.raw(`/apis/${GROUP_VERSION}/namespaces/${namespace}/clusterprofiles`)
  const resources = discovery.status === 200 ? ResourceList.parse(JSON.parse(discovery.body)).resources : []
  const resource = resources.find(({ name }) => name === 'clusterprofiles')
  const all = z.object({ items: z.array(Profile) }).parse(JSON.parse(listed.body)).items
  const own = all.filter((profile) => profile.spec.clusterManager.name === manager)
  const each = (holds: (profile: Profile) => boolean): boolean => own.length > 0 && own.every(holds)
  const has = (type: string) => (profile: Profile) => profile.status.conditions.some((one) => one.type === type)
  const ids = all.map((profile) => profile.metadata.labels[MEMBER_ID]).filter((id) => id !== undefined)
  const check = (id: number, title: string, passed: boolean): ConformanceCheck => ({
    id,
    required: id <= 5,
    title,
    passed,
  })
  return [
    check(1, 'v1alpha2 is discoverable and listable', resource !== undefined && listed.status === 200),
    check(2, 'ClusterProfile is namespaced', resource?.namespaced === true),
    check(3, 'there is a profile of the manager', own.length > 0),
    check(
      4,
      'the manager label equals spec.clusterManager.name',
      each((one) => one.metadata.labels[MANAGER] === manager),
    ),
    check(
      5,
      'the member id is not empty when it is there',
      each((one) => one.metadata.labels[MEMBER_ID] !== ''),
    ),
    check(
      6,
      'every profile has the member id',
      each((one) => one.metadata.labels[MEMBER_ID] !== undefined),
    ),
    check(7, 'no member id is there twice', new Set(ids).size === ids.length),
    check(8, 'ControlPlaneHealthy is there', each(has('ControlPlaneHealthy'))),
    check(9, 'Joined is there', each(has('Joined'))),
    check(
      10,
      'status.version.kubernetes is set',
      each((one) => Boolean(one.status.version?.kubernetes)),
    ),
  ]
}
