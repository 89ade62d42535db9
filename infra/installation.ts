import type { StackProps } from 'aws-cdk-lib'
import type { DeploymentSettings } from './settings/settings.schema.ts'
import type { DataStack } from './stacks/data.stack.ts'

/** What every part of an installation is made from. */
export type Installation = {
  settings: DeploymentSettings
  data: DataStack
  /** Folder of a function's bundle, by its name. */
  folderOf(name: string): string
}

/** What a stack is given whose functions work on the installation's state. */
export type InstallationStackProps = StackProps & Installation
