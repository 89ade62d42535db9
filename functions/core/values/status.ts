const ACTIONS = ['CREATE', 'UPDATE', 'DELETE'] as const
const OUTCOMES = ['IN_PROGRESS', 'COMPLETE', 'FAILED'] as const

/** Status of clusters and federations (magnum-rest.md 9.2). fedplane sets only these of Magnum's enumeration. */
export type Status = `${(typeof ACTIONS)[number]}_${(typeof OUTCOMES)[number]}`

export const STATUSES: readonly Status[] = ACTIONS.flatMap((action) =>
  OUTCOMES.map((outcome): Status => `${action}_${outcome}`),
)

export const isInProgress = (status: Status): boolean => status.endsWith('_IN_PROGRESS')
export const isFailed = (status: Status): boolean => status.endsWith('_FAILED')

/** One aspect of an entity's state, after the Kubernetes API convention of the same name. */
export type Condition = {
  type: string
  status: 'True' | 'False' | 'Unknown'
  /** CamelCase constant, documented where it is set. */
  reason: string
  message: string
  /** `revision` of the entity that this was said about. */
  observedRevision: number
  /** ISO-8601 UTC; moves only when `status` does. */
  changedAt: string
}

/** Sets one condition in a list, keeping `changedAt` while `status` stays. */
export const withCondition = (conditions: readonly Condition[], next: Condition): Condition[] => {
  const before = conditions.find((condition) => condition.type === next.type)
  const changedAt = before?.status === next.status ? before.changedAt : next.changedAt
  return [...conditions.filter((condition) => condition.type !== next.type), { ...next, changedAt }]
}

/** True when the list holds `type` with status `True`. */
export const isConditionTrue = (conditions: readonly Condition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True')
