import * as z from 'zod'
import type { Logger } from '../../core/ports.ts'
import type { WorkStore } from '../../store/work.store.ts'
import { StackRequest, stackAnswer } from '../stack-request.ts'

/** What CloudFormation sends about the guard. */
const CustomResourceEvent = StackRequest.extend({
  /** `Enforce`: `false` lets everything go. */
  ResourceProperties: z.object({ Enforce: z.enum(['true', 'false']) }),
})

export type GuardPorts = {
  work: Pick<WorkStore, 'federations' | 'clusters'>
  /** Puts text to a signed URL. */
  put(url: string, body: string): Promise<void>
  log: Logger
}

/** Enough to say that there are many. */
const COUNTED_MAX = 1000

const count = async (entities: AsyncIterable<unknown>): Promise<number> => {
  let counted = 0
  for await (const _ of entities) {
    counted += 1
    if (counted === COUNTED_MAX) break
  }
  return counted
}

const many = (number: number, what: string): string =>
  `${number === COUNTED_MAX ? 'at least ' : ''}${number} ${what}${number === 1 ? '' : 's'}`

/** A stack whose deletion failed can't be deployed to any more, so the setting comes too late once this is read (docs/decisions/0019). */
const ANYWAY =
  'To destroy it all the same, delete this stack by force (aws cloudformation delete-stack --deletion-mode FORCE_DELETE_STACK --stack-name fedplane-guard), then the others.'

/** Why fedplane must not go yet; undefined when it may. */
const objection = async ({ work, log }: GuardPorts): Promise<string | undefined> => {
  try {
    const [federations, clusters] = [await count(work.federations()), await count(work.clusters())]
    if (federations + clusters === 0) return undefined
    return `There are still ${many(federations, 'federation')} and ${many(clusters, 'cluster')} in fedplane. Nobody but fedplane takes its parts out of them again, so delete them before it. ${ANYWAY}`
  } catch (error) {
    log.error('what there is could not be counted', { error })
    return `fedplane could not find out whether there are federations and clusters; the guard's log says why. ${ANYWAY}`
  }
}

/**
 * Answers CloudFormation about the resource that stands for "nothing depends on fedplane": its deletion, the first that `cdk destroy` does,
 * fails while there are federations or clusters. Making and changing it always succeeds.
 *
 * @throws ZodError for an event that is none of CloudFormation's, and what `put` throws: Lambda then tries again
 */
export const guardDestruction = async (event: unknown, ports: GuardPorts): Promise<void> => {
  const request = CustomResourceEvent.parse(event)
  const asked = request.RequestType === 'Delete' && request.ResourceProperties.Enforce === 'true'
  const reason = asked ? await objection(ports) : undefined
  const status = reason === undefined ? 'SUCCESS' : 'FAILED'
  const answer = stackAnswer(request, {
    Status: status,
    Reason: reason ?? 'Nothing speaks against it.',
    PhysicalResourceId: 'fedplane-destroy-guard',
  })
  await ports.put(request.ResponseURL, answer)
  ports.log.info('guarded', { request: request.RequestType, status })
}
