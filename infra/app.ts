import path from 'node:path'
import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { ROUTES } from '../functions/api/routes.ts'
import { ensureAssets } from './assets.ts'
import { bundleFunctions } from './bundle.ts'
import { readDriverPackages } from './driver-packages.ts'
import { requireDrivers } from './enabled-drivers.ts'
import { addFedplane } from './fedplane.ts'
import { readConfigFile } from './settings/config-file.ts'
import { SettingsInvalid } from './settings/errors.ts'
import { CONFIG, mergeSettings } from './settings/read-settings.ts'

const ROOT = path.join(import.meta.dirname, '..')

/** `npx cdk synth|deploy`: everything from settings (docs/settings.md) to stacks. */
const synthesise = async (): Promise<void> => {
  const app = new App({ analyticsReporting: false })
  Validations.of(app).addPlugins(new AwsSolutionsChecks(), new ServerlessChecks())
  const settings = mergeSettings(
    app.node.getAllContext(),
    await readConfigFile(ROOT, app.node.tryGetContext(CONFIG) ?? undefined),
  )
  const packages = await readDriverPackages(settings.driverPackages)
  requireDrivers(settings, packages)
  await ensureAssets({
    karmadaCrds: process.env.FEDPLANE_KARMADA_CRDS || undefined,
    demanded: settings.demandAssets,
    tell: (line) => process.stderr.write(`${line}\n`),
  })
  const bundles = await bundleFunctions({ driverPackages: settings.driverPackages })
  const folders = new Map(bundles.map(({ name, folder }) => [name, folder]))
  addFedplane(app, {
    folderOf: (name) => {
      const folder = folders.get(name)
      if (folder === undefined) throw new Error(`There is no function ${name}; infra/bundle.ts lists them.`)
      return folder
    },
    routes: ROUTES,
    settings,
  })
}

try {
  await synthesise()
} catch (error) {
  if (!(error instanceof SettingsInvalid)) throw error
  // A sentence for the operator, without our stack.
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
