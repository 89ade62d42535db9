import { loadPolicy } from '../../local/policy.ts'
import { percentile } from './figures.ts'

const DECISIONS = 5000
const WARM_UP = 500

/** Median time of one Cedar decision about an object, milliseconds. */
export const decisionMs = async (): Promise<number> => {
  const policy = await loadPolicy()
  const principal = { userId: 'ana', projectId: 'bench', roles: ['member'], source: 'token-file' } as const
  const times: number[] = []
  for (let count = 0; count < WARM_UP + DECISIONS; count++) {
    const begin = performance.now()
    const { isAllowed } = policy.decide(principal, 'certificate:create', { projectId: 'bench', userId: 'ana' })
    const milliseconds = performance.now() - begin
    if (!isAllowed) throw new Error('A member may sign certificates of its own clusters, but was refused.')
    if (count >= WARM_UP) times.push(milliseconds)
  }
  return percentile(times, 0.5)
}
