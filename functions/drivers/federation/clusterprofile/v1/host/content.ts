import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ACCESS_PROVIDER, CLUSTER_LABEL, EXEC_EXTENSION, MEMBER_ID_LABEL } from '../names.ts'

const Condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
})
const Property = z.object({ name: z.string(), value: z.string() })
const Way = z.object({
  server: z.string(),
  'certificate-authority-data': z.string().optional(),
  'tls-server-name': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
})
const Extension = z.object({ name: z.string(), extension: z.record(z.string(), z.unknown()) })
const Provider = z.object({
  name: z.string(),
  cluster: Way.extend({ extensions: z.array(Extension).default([]) }),
})

/** `status` of a profile, as far as we write it. Lists without entries are absent in what an API server answers. */
export const ProfileStatus = z.object({
  conditions: z.array(Condition).default([]),
  version: z.object({ kubernetes: z.string().optional() }).optional(),
  properties: z.array(Property).default([]),
  accessProviders: z.array(Provider).default([]),
})
export type ProfileStatus = z.infer<typeof ProfileStatus>

/** How consumers reach a member: `cluster` of an access provider, without extensions. */
export type Way = z.infer<typeof Way>
export type ProfileCondition = z.infer<typeof Condition>
export type ProfileProperty = z.infer<typeof Property>

/** What is said of one member, the same wherever it is published. */
export type MemberContent = {
  clusterId: string
  /** uid of the member's `kube-system` namespace. */
  memberUid: string
  displayName: string
  conditions: ProfileCondition[]
  version: string | null
  /** Sorted by name. */
  properties: ProfileProperty[]
  way: Way
}

/** The status of a profile; an empty one when there is none, or one that others broke. */
export const statusOf = (profile: KubernetesObject | undefined): ProfileStatus =>
  ProfileStatus.safeParse(profile?.status ?? {}).data ?? { conditions: [], properties: [], accessProviders: [] }

const withoutExtensions = ({ extensions: _, ...way }: z.infer<typeof Provider>['cluster']): Way => way

/** Reads back what a profile of ours says; undefined when it was written only in part. */
export const contentOf = (profile: KubernetesObject): MemberContent | undefined => {
  const { conditions, version, properties, accessProviders } = statusOf(profile)
  const provider = accessProviders.find((candidate) => candidate.name === ACCESS_PROVIDER)
  const labels = profile.metadata.labels ?? {}
  const spec = z.object({ displayName: z.string() }).safeParse(profile.spec)
  if (provider === undefined || !spec.success) return undefined
  return {
    clusterId: labels[CLUSTER_LABEL] ?? '',
    memberUid: labels[MEMBER_ID_LABEL] ?? '',
    displayName: spec.data.displayName,
    conditions,
    version: version?.kubernetes ?? null,
    properties,
    way: withoutExtensions(provider.cluster),
  }
}

/** The status that says this, for the profile whose token Secret is called `secretName`. */
export const statusFor = (content: MemberContent, secretName: string): ProfileStatus => ({
  conditions: content.conditions,
  ...(content.version === null ? {} : { version: { kubernetes: content.version } }),
  properties: content.properties,
  accessProviders: [
    {
      name: ACCESS_PROVIDER,
      cluster: { ...content.way, extensions: [{ name: EXEC_EXTENSION, extension: { clusterName: secretName } }] },
    },
  ],
})
