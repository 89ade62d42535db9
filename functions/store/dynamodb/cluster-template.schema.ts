import * as z from 'zod'
import { SERVER_TYPES } from '../../core/cluster/magnum-attributes.ts'
import { count, driverId, schemaVersion, text, textMap, textOrNull } from './item.schema.ts'

export const CLUSTER_TEMPLATE_SCHEMA_VERSION = 1

const spec = z.object({
  coe: z.literal('kubernetes'),
  imageId: text,
  flavorId: textOrNull,
  masterFlavorId: textOrNull,
  keypairId: textOrNull,
  externalNetworkId: textOrNull,
  fixedNetwork: textOrNull,
  fixedSubnet: textOrNull,
  networkDriver: textOrNull,
  volumeDriver: textOrNull,
  dnsNameserver: textOrNull,
  apiserverPort: z.number().nullable(),
  dockerVolumeSize: z.number().nullable(),
  dockerStorageDriver: textOrNull,
  labels: textMap,
  serverType: z.enum(SERVER_TYPES),
  clusterDistro: textOrNull,
  registryEnabled: z.boolean(),
  insecureRegistry: textOrNull,
  tlsDisabled: z.boolean(),
  masterLbEnabled: z.boolean(),
  floatingIpEnabled: z.boolean(),
  httpProxy: textOrNull,
  httpsProxy: textOrNull,
  noProxy: textOrNull,
})

/** A cluster template as stored. */
export const clusterTemplateItem = z
  .object({
    schemaVersion: schemaVersion(CLUSTER_TEMPLATE_SCHEMA_VERSION),
    id: text,
    projectId: text,
    userId: text,
    name: textOrNull,
    driver: driverId,
    spec,
    public: z.boolean(),
    hidden: z.boolean(),
    tags: textOrNull,
    revision: count,
    createdAt: text,
    updatedAt: textOrNull,
    clusterCount: count,
  })
  .transform(({ schemaVersion: _, ...template }) => template)

/** What says whose a published template is. */
export const publicPointer = z.object({ sk: text, projectId: text })
