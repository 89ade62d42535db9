import { App } from 'aws-cdk-lib'
import { ROUTES } from '../functions/api/routes.ts'
import { ensureAssets } from './assets.ts'
import { bundleFunctions } from './bundle.ts'
import { EKS_CONTEXT } from './eks-context.ts'
import { addFedplane } from './fedplane.ts'
import { IDENTITY_CONTEXT } from './identity-context.ts'

/**
 * `npx cdk synth|deploy`. Context (`-c name=value`): `publicUrl`, `allowedNetworks`, `clustersPerProject`, the identity providers
 * (`identity-context.ts`), what may be done for EKS (`eks-context.ts`), `demandAssets=true` to fail without the files that drivers need (`npm run assets`), and `throwAway=true` for an installation whose data goes with its stack.
 */
const app = new App({ analyticsReporting: false })
const context = (name: string): string | undefined => app.node.tryGetContext(name) ?? undefined

await ensureAssets({
  karmadaCrds: process.env.FEDPLANE_KARMADA_CRDS || undefined,
  demanded: context('demandAssets') === 'true',
  tell: (line) => process.stderr.write(`${line}\n`),
})
const folders = new Map(bundleFunctions().map(({ name, folder }) => [name, folder]))
const publicUrl = context('publicUrl')
const clustersPerProject = context('clustersPerProject')

addFedplane(app, {
  folderOf: (name) => {
    const folder = folders.get(name)
    if (folder === undefined) throw new Error(`There is no function ${name}; infra/bundle.ts lists them.`)
    return folder
  },
  routes: ROUTES,
  retain: context('throwAway') !== 'true',
  allowedNetworks: context('allowedNetworks') ?? '',
  identity: Object.fromEntries(IDENTITY_CONTEXT.map((name) => [name, context(name)])),
  eks: Object.fromEntries(EKS_CONTEXT.map((name) => [name, context(name)])),
  ...(publicUrl === undefined ? {} : { publicUrl }),
  ...(clustersPerProject === undefined ? {} : { clustersPerProject }),
})
