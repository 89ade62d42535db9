import type { FeedEntry, Stores } from '../../store/stores.ts'

type Feed = Stores['events']['feed']

/** Names of the federations that events of members are about, as far as they are there: those events have none. */
const namesOf = async (
  { federations }: Pick<Stores, 'federations'>,
  projectId: string,
  items: readonly FeedEntry[],
): Promise<ReadonlyMap<string, string>> => {
  const nameless = items.flatMap(({ event }) => (event.name === undefined ? [event.owner.id] : []))
  const found = await Promise.all([...new Set(nameless)].map((id) => federations.get({ projectId, id })))
  return new Map(found.flatMap((federation) => (federation === undefined ? [] : [[federation.id, federation.name]])))
}

/** The feed of a project, as lists and streams show it: with the owner's name also where only a member is spoken of. */
export const namedFeed =
  (stores: Pick<Stores, 'events' | 'federations'>): Feed =>
  async (projectId, page) => {
    const { items, more } = await stores.events.feed(projectId, page)
    const names = await namesOf(stores, projectId, items)
    const named = items.map(({ position, event }): FeedEntry => {
      const name = event.name ?? names.get(event.owner.id)
      return { position, event: name === undefined ? event : { ...event, name } }
    })
    return { items: named, more }
  }
