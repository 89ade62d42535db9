import type { DriverId } from '../values/driver-id.ts'

export const NETWORK_DRIVERS = ['flannel', 'calico', 'cilium'] as const
export const SERVER_TYPES = ['vm', 'bm'] as const

/** What a template says of the clusters made from it: Magnum's attributes (magnum-rest.md section 5), which drivers read. */
export type ClusterTemplateSpec = {
  /** Kubernetes is the only one that Magnum still has. */
  coe: 'kubernetes'
  imageId: string
  flavorId: string | null
  masterFlavorId: string | null
  keypairId: string | null
  externalNetworkId: string | null
  fixedNetwork: string | null
  fixedSubnet: string | null
  networkDriver: string | null
  volumeDriver: string | null
  /** One IPv4 address, or several with commas between. */
  dnsNameserver: string | null
  apiserverPort: number | null
  /** GB. */
  dockerVolumeSize: number | null
  dockerStorageDriver: string | null
  labels: Readonly<Record<string, string>>
  serverType: (typeof SERVER_TYPES)[number]
  clusterDistro: string | null
  registryEnabled: boolean
  insecureRegistry: string | null
  tlsDisabled: boolean
  masterLbEnabled: boolean
  floatingIpEnabled: boolean
  httpProxy: string | null
  httpsProxy: string | null
  noProxy: string | null
}

export type ClusterTemplate = {
  /** UUIDv7, or what the caller chose. */
  id: string
  projectId: string
  userId: string
  /** Null after `remove /name`: such a template is found by its id only. */
  name: string | null
  /** Makes the clusters. Chosen once. */
  driver: DriverId
  spec: ClusterTemplateSpec
  /** Readable in every project. */
  public: boolean
  /** Not listed to others, and nothing can be made from it but by administrators. */
  hidden: boolean
  /** Comma list. */
  tags: string | null
  /** From 1; each change adds 1 and is conditional on the value read. */
  revision: number
  createdAt: string
  updatedAt: string | null
  /** Clusters made from it, or on their way to it. Changed by `countUse` only; bumps no revision. */
  clusterCount: number
}

/** A template as a caller finds it. */
export type FoundTemplate = { template: ClusterTemplate; isBuiltin: boolean }

/** The fields that `ClusterTemplateStore.change` may set. */
export type ClusterTemplateChange = Partial<
  Pick<ClusterTemplate, 'name' | 'spec' | 'public' | 'hidden' | 'tags' | 'updatedAt'>
>

/** Readable in every project: public, and not hidden. */
export const isPublished = (template: Pick<ClusterTemplate, 'public' | 'hidden'>): boolean =>
  template.public && !template.hidden
