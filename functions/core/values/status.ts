export const ACTIONS = ['CREATE', 'UPDATE', 'DELETE'] as const
export const OUTCOMES = ['IN_PROGRESS', 'COMPLETE', 'FAILED'] as const

/** Status of clusters and federations (magnum-rest.md 9.2). fedplane sets only these of Magnum's enumeration. */
export type Status = `${(typeof ACTIONS)[number]}_${(typeof OUTCOMES)[number]}`

export const STATUSES: readonly Status[] = ACTIONS.flatMap((action) =>
  OUTCOMES.map((outcome): Status => `${action}_${outcome}`),
)

export const isInProgress = (status: Status): boolean => status.endsWith('_IN_PROGRESS')
export const isFailed = (status: Status): boolean => status.endsWith('_FAILED')
