import * as z from 'zod'
import type { ConcurrencyPort, Logger } from '../../core/ports.ts'
import { StackRequest, stackAnswer } from '../stack-request.ts'

const Properties = z.object({
  /** Functions whose reserved concurrency is not the operator's. CloudFormation makes text of every number. */
  Functions: z.array(
    z.object({
      /** As people know it: `table`. */
      Kind: z.string().min(1),
      Name: z.string().min(1),
      /** What it shall have reserved; `none` gives up what was reserved before. */
      Wanted: z.union([z.literal('none'), z.string().regex(/^[1-9][0-9]{0,5}$/)]),
    }),
  ),
})

/** What CloudFormation sends about the reserved concurrency of functions. */
const ReserveRequest = StackRequest.extend({
  ResourceProperties: Properties,
  /** With an Update: what it was asked before. */
  OldResourceProperties: Properties.optional(),
})

type ReserveRequest = z.infer<typeof ReserveRequest>
type WantedFunction = z.infer<typeof Properties>['Functions'][number]

export type ReservePorts = {
  concurrency: ConcurrencyPort
  /** Puts text to a signed URL. */
  put(url: string, body: string): Promise<void>
  log: Logger
}

/** What AWS demands to be left for all functions without a reservation. */
const UNRESERVED_MIN = 100

type Plan = WantedFunction & { current: number | undefined; before: number | undefined; wanted: number | undefined }

const numberOf = (wanted: string | undefined): number | undefined =>
  wanted === undefined || wanted === 'none' ? undefined : Number(wanted)

/** Whoever set a number that is neither ours of before nor ours of now: it is left alone. */
const isOthers = ({ current, before, wanted }: Plan): boolean =>
  current !== undefined && current !== before && current !== wanted

const named = (plans: readonly Plan[], value: (plan: Plan) => number | undefined): string =>
  plans.map((plan) => `${plan.Kind}=${value(plan)}`).join(',')

const sum = (plans: readonly Plan[], value: (plan: Plan) => number | undefined): number =>
  plans.reduce((total, plan) => total + (value(plan) ?? 0), 0)

/** Gives up what we had reserved. */
const release = async (plans: readonly Plan[], { concurrency }: ReservePorts): Promise<void> => {
  for (const plan of plans) {
    if (plan.current !== undefined && plan.current === plan.before) await concurrency.release(plan.Name)
  }
}

/** Reserves what is wanted where there is room for all of it. @returns what was done, as people read it */
const reserve = async (plans: readonly Plan[], { concurrency }: ReservePorts): Promise<string> => {
  const others = plans.filter(isOthers)
  const ours = plans.filter((plan) => !isOthers(plan))
  const left = others.length === 0 ? '' : ` Left as somebody else set it: ${named(others, ({ current }) => current)}.`
  if (ours.length === 0) return `Nothing is to be reserved.${left}`
  const free = (await concurrency.unreserved()) + sum(ours, ({ current }) => current)
  const wanted = sum(ours, ({ wanted }) => wanted)
  if (free - wanted < UNRESERVED_MIN) {
    return (
      `WARNING: nothing was reserved, so a flood of work in flows can take all functions from the API. ` +
      `This account has ${free} unreserved concurrent executions here; ${named(ours, ({ wanted }) => wanted)} needs ${wanted + UNRESERVED_MIN}. ` +
      `Have the quota of Lambda raised under Service Quotas, then deploy with another value of the setting reserveConcurrency and back.${left}`
    )
  }
  for (const plan of ours) {
    if (plan.wanted !== undefined && plan.current !== plan.wanted) await concurrency.reserve(plan.Name, plan.wanted)
  }
  return `Reserved: ${named(ours, ({ wanted }) => wanted)}.${left}`
}

/** Does what CloudFormation asks. @returns what was done */
const act = async (request: ReserveRequest, ports: ReservePorts): Promise<string> => {
  const { RequestType, ResourceProperties, OldResourceProperties } = request
  const isDelete = RequestType === 'Delete'
  const before = isDelete ? ResourceProperties : OldResourceProperties
  const plans: Plan[] = []
  for (const it of ResourceProperties.Functions) {
    plans.push({
      ...it,
      current: await ports.concurrency.reserved(it.Name),
      before: numberOf(before?.Functions.find(({ Name }) => Name === it.Name)?.Wanted),
      wanted: isDelete ? undefined : numberOf(it.Wanted),
    })
  }
  const dropped = plans.filter(({ wanted }) => wanted === undefined)
  await release(dropped, ports)
  const kept = plans.filter(({ wanted }) => wanted !== undefined)
  return kept.length === 0 ? 'Nothing is reserved by fedplane.' : await reserve(kept, ports)
}

/**
 * Answers CloudFormation about the concurrency that the API and the authorizer have for themselves. It never fails a deployment: what can't be
 * done is said in the stack's output and in the log. Numbers that somebody else set are left alone.
 *
 * @throws ZodError for an event that is none of CloudFormation's, and what `put` throws: Lambda then tries again
 */
export const reserveConcurrency = async (event: unknown, ports: ReservePorts): Promise<void> => {
  const request = ReserveRequest.parse(event)
  const done = await act(request, ports).catch((error: unknown) => {
    ports.log.error('concurrency could not be reserved', { error })
    return "WARNING: concurrency could not be checked or reserved; the log of this resource's function says why. The API works without it."
  })
  const answer = stackAnswer(request, {
    Status: 'SUCCESS',
    Reason: done,
    PhysicalResourceId: 'fedplane-reserved-concurrency',
    Data: { Concurrency: done },
  })
  await ports.put(request.ResponseURL, answer)
  ports.log.info('checked reserved concurrency', { request: request.RequestType, done })
}
