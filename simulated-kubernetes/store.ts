import type { ApiObject, ResourceType } from './types.ts'

/** Paths that each field manager owns: see `field-ownership.ts`. */
export type Ownership = Map<string, Set<string>>

export type Stored = { object: ApiObject; ownership: Ownership }

type Collection = Pick<ResourceType, 'group' | 'plural'>

const collectionKey = ({ group, plural }: Collection): string => `${group}/${plural}`
const objectKey = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`

/** All objects of one simulated cluster, in memory. Each write takes the next resource version. */
export class ObjectStore {
  readonly #collections = new Map<string, Map<string, Stored>>()
  readonly #listeners: ((collection: Collection) => void)[] = []
  #revision = 1
  readonly #revisions = new Map<string, number>()
  #ownerChanges = 0

  /** The newest resource version. */
  get revision(): string {
    return String(this.#revision)
  }

  /** Changes with each write to a collection: for what is derived from it. */
  revisionOf(collection: Collection): number {
    return this.#revisions.get(collectionKey(collection)) ?? 0
  }

  /** Changes when something was removed, or written with an owner. */
  get ownerChanges(): number {
    return this.#ownerChanges
  }

  /** Everything, in no order. */
  *all(): Iterable<{ collection: Collection; object: ApiObject }> {
    for (const [key, objects] of this.#collections) {
      const [group = '', plural = ''] = key.split('/')
      for (const { object } of objects.values()) yield { collection: { group, plural }, object }
    }
  }

  /** Calls back after each write or removal, in the same turn. */
  onChange(listener: (collection: Collection) => void): void {
    this.#listeners.push(listener)
  }

  get(collection: Collection, name: string, namespace?: string): Stored | undefined {
    return this.#collections.get(collectionKey(collection))?.get(objectKey(namespace, name))
  }

  /** Sorted by namespace, then name, as etcd's keys are. */
  list(collection: Collection, namespace?: string): ApiObject[] {
    const all = [...(this.#collections.get(collectionKey(collection)) ?? new Map<string, Stored>())]
    return all
      .filter(([key]) => namespace === undefined || key.startsWith(`${namespace}/`))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, stored]) => stored.object)
  }

  put(collection: Collection, { object, ownership }: Stored): ApiObject {
    this.#revision += 1
    if (object.metadata.ownerReferences !== undefined) this.#ownerChanges += 1
    const next = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } }
    const key = collectionKey(collection)
    const objects = this.#collections.get(key) ?? new Map<string, Stored>()
    this.#collections.set(key, objects)
    objects.set(objectKey(object.metadata.namespace, object.metadata.name), { object: next, ownership })
    this.#tell(collection)
    return next
  }

  remove(collection: Collection, name: string, namespace?: string): void {
    this.#revision += 1
    this.#collections.get(collectionKey(collection))?.delete(objectKey(namespace, name))
    this.#ownerChanges += 1
    this.#tell(collection)
  }

  #tell(collection: Collection): void {
    this.#revisions.set(collectionKey(collection), this.#revision)
    for (const listener of this.#listeners) listener(collection)
  }
}
