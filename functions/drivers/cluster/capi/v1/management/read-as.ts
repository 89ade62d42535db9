import type * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ManagementUnreachable } from '../../../../contract/errors.ts'
import { shaped } from '../../../../support/shaped.ts'

/** An object of a management cluster as it is used here. @throws ManagementUnreachable for one of another shape */
export const readAs = <T>(where: string, shape: z.ZodType<T>, object: KubernetesObject): T => {
  const read = shaped(shape, object)
  if (read.fault === undefined) return read.data
  throw new ManagementUnreachable(
    `Management cluster ${where} can't be worked with at the moment: it tells of a ${object.kind} what no Cluster API says (${read.fault}).`,
    { details: { kind: object.kind, field: read.fault } },
  )
}
