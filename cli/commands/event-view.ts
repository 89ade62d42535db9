import type { EventView } from '../api/views.ts'
import type { Kind } from '../output/format.ts'

/** Events of a federation or cluster. */
export const EVENTS: Kind<EventView> = {
  name: 'event',
  list: 'events',
  nameOf: ({ id }) => id,
  columns: [
    { heading: 'TIME', value: ({ time }) => time },
    { heading: 'ACTION', value: ({ action }) => action },
    { heading: 'OUTCOME', value: ({ outcome }) => outcome },
    { heading: 'REASON', value: ({ reason }) => reason },
    { heading: 'MESSAGE', value: ({ message }) => message },
    { heading: 'CLUSTER', value: ({ cluster_id }) => cluster_id ?? '', isWide: true },
  ],
}
