import { karmadaDriver } from '../../../functions/drivers/federation/karmada/v1/index.ts'
import { standInAsset } from '../../support/karmada/crds.ts'
import { openKarmadaLab, ownProperties } from '../../support/karmada/lab.ts'
import { QUICK } from '../../support/karmada/options.ts'
import { describeFederationDriver } from './federation-suite.ts'

describeFederationDriver(karmadaDriver(QUICK), {
  open: () => openKarmadaLab({ members: 5 }),
  properties: ownProperties,
  asset: standInAsset,
  killEvery: 79,
  faulty: [
    { namespace: 'Not A Name' },
    { 'api-service-type': 'ExternalName' },
    { 'api-service-type': 'ClusterIP' },
    { 'api-port': '70000' },
    { replicas: '2' },
    { 'storage-size': 'much' },
    { 'extra-sans': 'not a name' },
  ],
})
