import type { Labels } from '../../../../core/values/labels.ts'
import { byNumber, listInWords, quote } from '../../../../core/values/wording.ts'
import type { Infrastructure } from './infrastructure.ts'
import { ALL_RULES } from './labels.ts'
import { LABELS_WITHOUT_EFFECT } from './labels-without-effect.ts'
import { type Wanted, wantedGroupLabels, wantedLabels } from './wishes.ts'

const allLabels = (wanted: Wanted): Labels =>
  Object.assign({}, ...wanted.nodeGroups.map((group) => wantedGroupLabels(wanted, group)), wantedLabels(wanted))

/** Labels that change nothing, by why: see `labelRemarks`. */
const idleLabels = (labels: Labels, infrastructure: Infrastructure) => {
  const keys = Object.keys(labels).sort()
  const isKnown = (key: string): boolean => Object.hasOwn(ALL_RULES, key)
  return {
    unknown: keys.filter((key) => !isKnown(key) && !Object.hasOwn(LABELS_WITHOUT_EFFECT, key)),
    elsewhere: keys.filter(
      (key) => isKnown(key) && ALL_RULES[key]?.on !== undefined && ALL_RULES[key].on !== infrastructure,
    ),
    without: keys.filter((key) => Object.hasOwn(LABELS_WITHOUT_EFFECT, key)),
  }
}

const sentence = (keys: readonly string[], one: string, several: string): string[] =>
  keys.length === 0
    ? []
    : [`${byNumber(keys, 'Label', 'Labels')} ${listInWords(keys.map(quote))} ${byNumber(keys, one, several)}.`]

/**
 * Whole sentences about labels that change nothing: misspelt ones, those of other drivers, and those of another infrastructure. Not faults: clients keep
 * labels that another driver took.
 */
export const labelRemarks = (wanted: Wanted, infrastructure: Infrastructure): string[] => {
  const { unknown, elsewhere, without } = idleLabels(allLabels(wanted), infrastructure)
  return [
    ...sentence(unknown, 'is not known to capi@1 and changes nothing', 'are not known to capi@1 and change nothing'),
    ...sentence(
      elsewhere,
      `changes nothing on the infrastructure ${infrastructure}`,
      `change nothing on the infrastructure ${infrastructure}`,
    ),
    ...without.map((key) => `Label ${quote(key)} changes nothing: it ${LABELS_WITHOUT_EFFECT[key]}.`),
  ]
}
