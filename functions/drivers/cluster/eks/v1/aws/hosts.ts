import type { AwsService } from '../../../../contract/aws-access.ts'
import { partitionOf } from '../fields.ts'

/** Public host of a service in a Region. Always the Regional one: STS's global host works in one partition only, and is a single point of failure. */
export const hostOfService = (service: AwsService, region: string): string =>
  `${service}.${region}.${partitionOf(region).suffix}`
