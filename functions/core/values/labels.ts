/** Magnum's labels: values are text always (magnum-rest.md section 0 rule 8). */
export type Labels = Readonly<Record<string, string>>

/** How labels differ from those of the parent: a cluster's from its template's, a node group's from its cluster's (magnum-rest.md 4.2, 6). */
export type LabelDiff = {
  /** In both with other values: the parent's. */
  overridden: Labels
  /** Not in the parent. */
  added: Labels
  /** Only in the parent. */
  skipped: Labels
}

/** What of the labels a request says. Absent or empty labels are not given. */
export type GivenLabels = { labels?: Labels | undefined; merge?: boolean | undefined }

/**
 * Labels of a new object: those of the parent when none are given; else the given ones, laid over the parent's when merging was asked for
 * (magnum-rest.md 4.1). Always a new object: the parent's labels stay its own.
 */
export const mergeLabels = (parent: Labels, { labels = {}, merge = false }: GivenLabels): Record<string, string> => {
  const isGiven = Object.keys(labels).length > 0
  return isGiven && !merge ? { ...labels } : { ...parent, ...labels }
}

/**
 * Labels after those of the parent went from `before` to `after`: what was taken over from the parent follows it, what was given to this
 * object stays. So nothing is shown as overridden or added that nobody gave. New labels of the parent are taken over where all of its labels
 * had been.
 */
export const followLabels = (labels: Labels, before: Labels, after: Labels): Record<string, string> => {
  const { overridden, added, skipped } = labelDiff(labels, before)
  const isOwn = (key: string): boolean => Object.hasOwn(overridden, key) || Object.hasOwn(added, key)
  const isCopy = Object.keys(before).length > 0 || Object.keys(labels).length === 0
  const takesNew = isCopy && Object.keys(skipped).length === 0
  const isTaken = (key: string): boolean => (Object.hasOwn(before, key) ? Object.hasOwn(labels, key) : takesNew)
  return { ...pick(after, isTaken), ...pick(labels, isOwn) }
}

const pick = (labels: Labels, isWanted: (key: string, value: string) => boolean): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([key, value]) => isWanted(key, value)))

/** Labels of the parent that have another value. */
export const overriddenLabels = (labels: Labels, parent: Labels): Labels =>
  pick(parent, (key, value) => Object.hasOwn(labels, key) && labels[key] !== value)

/** Labels that the parent has not. */
export const addedLabels = (labels: Labels, parent: Labels): Labels =>
  pick(labels, (key) => !Object.hasOwn(parent, key))

/** Labels that only the parent has. */
export const skippedLabels = (labels: Labels, parent: Labels): Labels =>
  pick(parent, (key) => !Object.hasOwn(labels, key))

/** Compares labels with the parent's. The three maps and the labels together give the parent's labels again. */
export const labelDiff = (labels: Labels, parent: Labels): LabelDiff => ({
  overridden: overriddenLabels(labels, parent),
  added: addedLabels(labels, parent),
  skipped: skippedLabels(labels, parent),
})
