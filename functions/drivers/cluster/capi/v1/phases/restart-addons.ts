import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { listAll } from '../../../../support/owned.ts'
import { NotYet, step } from '../../../../support/step.ts'
import { inCluster } from '../look.ts'
import { managementSite } from '../management/site.ts'
import { ownObject, planOf } from '../management/wanted.ts'
import { CLOUD_CONFIG, cloudConfigFiles } from '../render/addon-objects.ts'
import { cloudCredentialOf } from './cloud-secret.ts'

/** Seconds for Cluster API to hand the Secret over, and for some calls. */
const RESTART_SECONDS = 400

/** Annotation of pods that read the cloud's configuration: which one they have. Another value makes new pods. */
const CONFIG_HASH = 'fedplane.io/cloud-config'

const KINDS = ['daemonsets', 'deployments', 'statefulsets']

const Volume = z.object({
  secret: z.object({ secretName: z.string().optional() }).optional(),
  projected: z
    .object({
      sources: z.array(z.object({ secret: z.object({ name: z.string().optional() }).optional() })).default([]),
    })
    .optional(),
})

/** The part of a workload that says what its pods are. */
const Workload = z.object({
  spec: z.object({
    template: z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }).prefault({}),
      spec: z.object({ volumes: z.array(Volume).default([]) }).prefault({}),
    }),
  }),
})

const hashOf = (files: Readonly<Record<string, string>>): string =>
  createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16)

const readsConfig = ({ spec: { template } }: z.infer<typeof Workload>): boolean =>
  template.spec.volumes.some(({ secret, projected }) =>
    [secret?.secretName, ...(projected?.sources ?? []).map((source) => source.secret?.name)].includes(
      CLOUD_CONFIG.name,
    ),
  )

const isHandedOver = (found: KubernetesObject | undefined, files: Readonly<Record<string, string>>): boolean => {
  const data = (found?.data ?? {}) as Readonly<Record<string, string>>
  return Object.entries(files).every(([file, text]) => data[file] === Buffer.from(text).toString('base64'))
}

/** New pods for those of another configuration. Not waited for: the old credential is good until the last phase, and pods come one after the other. */
const restart = async (client: KubernetesClient, resource: Resource, hash: string): Promise<void> => {
  for (const object of await listAll(client, resource)) {
    const workload = Workload.parse(object)
    if (!readsConfig(workload) || workload.spec.template.metadata.annotations[CONFIG_HASH] === hash) continue
    const template = { metadata: { annotations: { [CONFIG_HASH]: hash } } }
    await client.patch(resource, object.metadata.name, { spec: { template } })
  }
}

/**
 * Whatever talks to the cloud reads its credential when it starts and never again (cloud-provider-openstack, issues 2284 and 2629), and the former one is
 * revoked after this: without new pods there would be no load balancer and no volume any more.
 */
export const restartAddons: ClusterPhase = {
  id: 'restart-addons',
  title: 'let addons read the new credential',
  deadlineSeconds: RESTART_SECONDS,
  ensure: (context) =>
    step(async () => {
      const site = await managementSite(context)
      if (site.infrastructure !== 'openstack' || site.options.addons_namespace === undefined) return {}
      const { nodeGroups, task } = context
      const plan = await planOf(context, site, { nodeGroups, task }, await ownObject(context, site))
      const files = cloudConfigFiles(plan, await cloudCredentialOf(context))
      const { namespace, name } = CLOUD_CONFIG
      await inCluster(context, async (client) => {
        if (!isHandedOver(await client.get(secrets(namespace), name), files)) {
          throw new NotYet(`Cluster API to hand Secret ${namespace}/${name} over to the cluster`)
        }
        for (const plural of KINDS) {
          await restart(client, { group: 'apps', version: 'v1', plural, namespace }, hashOf(files))
        }
      })
      return {}
    }),
}
