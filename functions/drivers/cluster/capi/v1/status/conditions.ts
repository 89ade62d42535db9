import type { CapiObject, Condition } from '../management/objects.schema.ts'

export const conditionOf = ({ status }: CapiObject, type: string): Condition | undefined =>
  status.conditions.find((condition) => condition.type === type)

/** An absent condition is not True. */
export const isTrue = (object: CapiObject, type: string): boolean => conditionOf(object, type)?.status === 'True'

/** Conditions that are well when they are not True: whatever changes at the moment. */
const CHANGES = ['RollingOut', 'ScalingUp', 'ScalingDown'] as const

/** True while machines are being replaced, added or taken away on purpose: not every one is healthy then. */
export const isChanging = (object: CapiObject): boolean => CHANGES.some((type) => isTrue(object, type))

export const isLeaving = ({ metadata }: CapiObject): boolean => metadata.deletionTimestamp !== undefined

/** Its controller has seen what is wanted of it. */
export const isSettled = (object: CapiObject): boolean =>
  object.status.observedGeneration >= object.metadata.generation && !isLeaving(object)
