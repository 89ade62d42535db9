import type { StackProps } from 'aws-cdk-lib'
import type { EksRights } from '../eks-context.ts'
import type { DataStack } from './data.stack.ts'

/** What a stack is given whose functions work on state and clusters. */
export type WorkerStackProps = StackProps & {
  data: DataStack
  /** Folder of a bundle, by its name. */
  folderOf(name: string): string
  /** Networks that clusters may be in beyond public addresses: CIDRs, separated by commas. */
  allowedNetworks: string
  /** What functions that talk to clusters may do for EKS. */
  eks: EksRights
}
