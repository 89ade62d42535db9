import { isLabelValue, isQualifiedName, LABEL_VALUE_RULE, QUALIFIED_NAME_RULE } from '../values/kubernetes-syntax.ts'
import { type NodeTaint, TAINT_EFFECTS } from './node-group.ts'

/** A taint as a request has it. */
export type GivenTaint = { key?: string | undefined; value?: string | undefined; effect?: string | undefined }

const effectOf = (text: string | undefined): NodeTaint['effect'] | undefined =>
  TAINT_EFFECTS.find((effect) => effect === text)

const idOf = ({ key, effect }: GivenTaint): string => JSON.stringify([key, effect])

const faultsOf = (taint: GivenTaint, where: string): string[] => {
  const { key, value, effect } = taint
  const faults: string[] = []
  if (key === undefined || !isQualifiedName(key)) faults.push(`The key of ${where} ${QUALIFIED_NAME_RULE}.`)
  if (value !== undefined && !isLabelValue(value)) faults.push(`The value of ${where} ${LABEL_VALUE_RULE}.`)
  if (effectOf(effect) === undefined) faults.push(`The effect of ${where} must be one of ${TAINT_EFFECTS.join(', ')}.`)
  return faults
}

/** What is wrong with taints for Kubernetes nodes, one sentence per fault (magnum-rest.md 6): no two have the same key and effect. */
export const taintFaults = (taints: readonly GivenTaint[]): string[] =>
  taints.flatMap((taint, index) => {
    const where = `entry ${index + 1} of "node_taints"`
    const earlier = taints.findIndex((other) => idOf(other) === idOf(taint))
    if (earlier === index) return faultsOf(taint, where)
    return [`The key and effect of ${where} are those of entry ${earlier + 1}; Kubernetes allows each pair once.`]
  })

/** Taints without faults, with their exact types; those with faults are left out. */
export const taintsOf = (taints: readonly GivenTaint[]): NodeTaint[] =>
  taints.flatMap(({ key, value, effect: text }) => {
    const effect = effectOf(text)
    if (key === undefined || effect === undefined) return []
    return [{ key, ...(value === undefined ? {} : { value }), effect }]
  })
