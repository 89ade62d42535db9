/** What an execution holds while it runs. */
export class Turn {
  readonly #limit: ConcurrencyLimit
  readonly #project: string
  #holds = true
  #over = false

  constructor(limit: ConcurrencyLimit, project: string) {
    this.#limit = limit
    this.#project = project
  }

  /** It waits for time to pass, so that another may run. */
  rest(): void {
    if (!this.#holds) return
    this.#holds = false
    this.#limit.giveBack(this.#project)
  }

  /** It goes on at once: it has waited already, and its deadlines run. */
  goOn(): void {
    if (this.#holds || this.#over) return
    this.#holds = true
    this.#limit.takeBack(this.#project)
  }

  end(): void {
    this.#over = true
    this.rest()
  }
}

type Begin = (turn: Turn) => void

/** What of one project waits, in the order in which it came, and how much of it runs. */
type Lane = { readonly queue: Map<string, Begin>; running: number }

/** One of so many turns is each project's own. */
const OWN_SHARE = 8

/**
 * Lets so many executions run at a time. Without it the steps of hundreds of executions would crowd the requests out of the one process and
 * database that they share.
 *
 * Projects are served in turn, each in the order in which its executions came, and each has turns of its own which no other can take: steps that
 * hang on an API server that never answers hold those of their own project only (decision 0028).
 */
export class ConcurrencyLimit {
  readonly #atOnce: number
  /** ConcurrencyLimit that a project gets although all are taken. */
  readonly #own: number
  /** By project; the one that is served next comes first. */
  readonly #lanes = new Map<string, Lane>()
  readonly #projects = new Map<string, string>()
  #running = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
    this.#own = Math.ceil(atOnce / OWN_SHARE)
  }

  /** Calls `begin` now or when its turn comes. It must not throw. */
  ask({ key, project }: { key: string; project: string }, begin: Begin): void {
    this.#laneOf(project).queue.set(key, begin)
    this.#projects.set(key, project)
    this.#next()
  }

  /** True while it waits for its turn. */
  has(key: string): boolean {
    return this.#projects.has(key)
  }

  /** Its turn never comes. */
  drop(key: string): void {
    const project = this.#projects.get(key)
    if (project === undefined) return
    this.#projects.delete(key)
    this.#laneOf(project).queue.delete(key)
    this.#forget(project)
  }

  /** No execution's turn comes any more. */
  close(): void {
    for (const key of [...this.#projects.keys()]) this.drop(key)
  }

  giveBack(project: string): void {
    this.#running--
    this.#laneOf(project).running--
    this.#forget(project)
    this.#next()
  }

  takeBack(project: string): void {
    this.#running++
    this.#laneOf(project).running++
  }

  #laneOf(project: string): Lane {
    const lane = this.#lanes.get(project) ?? { queue: new Map<string, Begin>(), running: 0 }
    this.#lanes.set(project, lane)
    return lane
  }

  #forget(project: string): void {
    const { queue, running } = this.#laneOf(project)
    if (queue.size === 0 && running === 0) this.#lanes.delete(project)
  }

  /** The first project that may begin one more. */
  #due(): string | undefined {
    for (const [project, { queue, running }] of this.#lanes) {
      if (queue.size > 0 && (this.#running < this.#atOnce || running < this.#own)) return project
    }
    return
  }

  #next(): void {
    for (let project = this.#due(); project !== undefined; project = this.#due()) this.#begin(project)
  }

  #begin(project: string): void {
    const lane = this.#laneOf(project)
    const [first] = lane.queue
    if (first === undefined) return
    const [key, begin] = first
    lane.queue.delete(key)
    this.#projects.delete(key)
    // Behind the others, until they have been served.
    this.#lanes.delete(project)
    this.#lanes.set(project, lane)
    lane.running++
    this.#running++
    begin(new Turn(this, project))
  }
}
