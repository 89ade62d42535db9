import type { BuiltinTemplate, ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { defaultsOf } from '../values/attributes.ts'
import type { ClusterTemplate } from './cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from './magnum-attributes.ts'

/**
 * The template that clusters show which were made from none: registered from a kubeconfig, or by a driver that has no templates. Magnum's
 * clients follow `cluster_template_id`, so there must be one.
 */
const BUILTIN_TEMPLATE = { id: 'fed91a4e-0000-4000-8000-000000000001', name: 'external' } as const

/** Before every real template in the order of creation. */
const SINCE = '2026-01-01T00:00:00.000Z'

/** A template that says nothing of its clusters. */
const plainTemplateOf = (driver: ClusterDriverDescription, { id, name }: BuiltinTemplate): ClusterTemplate => ({
  id,
  projectId: 'fedplane',
  userId: 'fedplane',
  name,
  driver: driver.id,
  spec: {
    ...defaultsOf(TEMPLATE_ATTRIBUTES),
    coe: 'kubernetes',
    imageId: 'none',
    networkDriver: null,
    floatingIpEnabled: false,
  },
  public: true,
  hidden: false,
  tags: null,
  revision: 1,
  createdAt: SINCE,
  updatedAt: null,
  clusterCount: 0,
})

/** The public templates of drivers whose clusters need none: nobody's, and nobody can change them. By id. */
export const builtinTemplates = (drivers: Pick<DriverDescriptions, 'cluster'>): ClusterTemplate[] =>
  drivers.cluster
    .list()
    .flatMap((driver) => (driver.builtinTemplate === null ? [] : [plainTemplateOf(driver, driver.builtinTemplate)]))
    .sort((a, b) => (a.id < b.id ? -1 : 1))

/**
 * What stands for the template of a cluster that was made from none: the driver's built-in one, or one that shows as `external`, since
 * Magnum's clients follow `cluster_template_id`.
 */
export const standInTemplate = (driver: ClusterDriverDescription): ClusterTemplate =>
  plainTemplateOf(driver, driver.builtinTemplate ?? BUILTIN_TEMPLATE)
