import { ApiUnavailable } from '../../../functions/kubernetes/errors.ts'
import type { FlowLab } from './flow-lab.ts'

const killed = (): Error => Object.assign(new Error('the process was killed'), { name: 'Lambda.Unknown' })

/** Ways to die. Each lets every step succeed in the end. `reset` of the lab ends them. */
export const DEATHS: Readonly<Record<string, (lab: FlowLab) => void>> = {
  'not at all': () => undefined,
  'after each step, which is run again': (lab) => {
    lab.intercept = async (_, run) => {
      await run()
      return run()
    }
  },
  'in each act before its result is stored, and after each step before its result is known': (lab) => {
    const died = new Set<string>()
    const dies = (which: unknown): boolean => {
      const text = JSON.stringify(which)
      if (died.has(text)) return false
      died.add(text)
      return true
    }
    const after = (call: unknown): void => {
      if (dies(call)) throw new ApiUnavailable('the connection broke after the request')
    }
    lab.world.after = after
    lab.clusters.after = after
    lab.intercept = async ({ step, event }, run) => {
      const result = await run()
      if (dies([step, event])) throw killed()
      return result
    }
  },
}
