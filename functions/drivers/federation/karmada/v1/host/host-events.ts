import * as z from 'zod'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { listAll } from '../../../../support/owned.ts'
import { events } from './plan.ts'

const Event = z.object({
  type: z.string().default('Normal'),
  reason: z.string().default(''),
  message: z.string().default(''),
  involvedObject: z.object({ kind: z.string().default(''), name: z.string().default(''), uid: z.string().default('') }),
  // Old and new writers note the time in different places.
  firstTimestamp: z.string().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
})

/** Something that a controller of the host said about an object. */
export type HostEvent = {
  isWarning: boolean
  reason: string
  message: string
  object: { kind: string; name: string; uid: string }
  /** When it was said first and last, by the host's clock; empty where that is not told. */
  since: string
  at: string
}

const MESSAGE_MAX = 400

/** One line, of a length that fits into `status_reason`. */
export const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MESSAGE_MAX ? line : `${line.slice(0, MESSAGE_MAX)}…`
}

/** The events of a namespace; none where we may not read them, since they only explain. */
export const readEvents = async (client: KubernetesClient, namespace: string): Promise<HostEvent[]> => {
  try {
    return (await listAll(client, events(namespace))).flatMap((object) => {
      const { success, data } = Event.safeParse(object)
      if (!success) return []
      return [
        {
          isWarning: data.type === 'Warning',
          reason: data.reason,
          message: shortened(data.message),
          object: data.involvedObject,
          since: data.firstTimestamp ?? data.eventTime ?? '',
          at: data.lastTimestamp ?? data.eventTime ?? '',
        },
      ]
    })
  } catch (error) {
    if (error instanceof PermissionDenied) return []
    throw error
  }
}

/** The newest event of those that are asked for. */
export const newestEvent = (
  found: readonly HostEvent[],
  isMeant: (event: HostEvent) => boolean,
): HostEvent | undefined => found.filter(isMeant).toSorted((first, second) => second.at.localeCompare(first.at))[0]

/** The newest warning about an object, of one of the reasons when given. */
export const newestWarning = (
  found: readonly HostEvent[],
  isAbout: (object: HostEvent['object']) => boolean,
  reasons?: readonly string[],
): HostEvent | undefined =>
  newestEvent(
    found,
    ({ isWarning, object, reason }) =>
      isWarning && isAbout(object) && (reasons === undefined || reasons.includes(reason)),
  )
