import type { DeploymentConfig } from './settings.schema.ts'

/** Types the settings of a `fedplane.config.ts`: `export default defineConfig({ … })` (docs/settings.md). */
export const defineConfig = (config: DeploymentConfig): DeploymentConfig => config
