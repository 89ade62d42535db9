import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { MANAGED_BY, MANAGED_BY_LABEL } from '../../../../support/owned.ts'
import { PROFILE_CRD, PROFILE_GROUP, PROFILE_KIND } from '../names.ts'
import type { Rules } from './common.ts'
import { v1alpha1 } from './v1alpha1.ts'
import { v1alpha2 } from './v1alpha2.ts'

/** Which edition of our manifest an installed one is; raise it with every change, so that it is applied to hosts that have an older one. */
export const CRD_EDITION_ANNOTATION = 'fedplane.io/crd-edition'
export const CRD_EDITION = 1

/**
 * The ClusterProfile CustomResourceDefinition of cluster-inventory-api v0.2.0, re-created from reference/clusterprofile.md section 2.
 * It belongs to no federation: others' profiles may use it, so it has no federation label and is never deleted.
 */
export const crdManifest = (rules: Rules): Manifest<'CustomResourceDefinition'> => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: PROFILE_CRD,
    labels: { [MANAGED_BY_LABEL]: MANAGED_BY },
    annotations: { [CRD_EDITION_ANNOTATION]: String(CRD_EDITION) },
  },
  spec: {
    group: PROFILE_GROUP,
    scope: 'Namespaced',
    names: {
      kind: PROFILE_KIND,
      listKind: `${PROFILE_KIND}List`,
      plural: 'clusterprofiles',
      singular: 'clusterprofile',
      categories: ['multicluster'],
    },
    conversion: { strategy: 'None' },
    versions: [v1alpha1(), v1alpha2(rules)],
  },
})
