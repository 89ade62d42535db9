import * as z from 'zod'
import type { Cluster } from '../../../../core/cluster/cluster.ts'

/** Key in `driverState`, and attribute of the request. */
export const EKS = 'eks'

const Shown = z.object({ name: z.string(), region: z.string(), role_arn: z.string().optional() })

/** The part of a registration that is sealed as the cluster's credential. */
export const Sealed = z.object({ external_id: z.string().optional() })

/** The part of the settings that is not secret; undefined when there is none. */
export const shownSettings = ({ driverState }: Pick<Cluster, 'driverState'>): z.infer<typeof Shown> | undefined =>
  Shown.safeParse(driverState[EKS]).data
