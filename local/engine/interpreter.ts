import type { StateMachine } from 'aws-local-stepfunctions'
import type { Flow } from '../../functions/core/operation/operation.ts'
import type { Definition, Definitions } from './definition.ts'

type Library = typeof import('aws-local-stepfunctions')

/**
 * The Amazon States Language interpreter. The package takes 160 ms to import, so that happens at `load` or at the first execution, not
 * before the server answers. A machine is made once per flow and first state.
 *
 * Definitions are not validated again here: `parseDefinition` and the tests did, and a machine that begins at a later state would
 * be refused for states that it can't reach.
 */
export class Interpreter {
  readonly #definitions: Definitions
  readonly #machines = new Map<string, StateMachine>()
  #library: Promise<Library> | undefined

  constructor(definitions: Definitions) {
    this.#definitions = definitions
  }

  /** Imports the package unless that is done. */
  load(): Promise<Library> {
    this.#library ??= import('aws-local-stepfunctions')
    return this.#library
  }

  /** @throws TypeError for a flow without a definition */
  definition(flow: Flow): Definition {
    const definition = this.#definitions[flow]
    if (!definition) throw new TypeError(`The flow ${flow} has no state machine.`)
    return definition
  }

  /** The flow's machine, beginning at a state of it. */
  async machine(flow: Flow, startAt: string): Promise<StateMachine> {
    const { StateMachine } = await this.load()
    const key = `${flow}/${startAt}`
    const known = this.#machines.get(key)
    if (known) return known
    const definition = { ...this.definition(flow), StartAt: startAt }
    const made = new StateMachine(definition, { validationOptions: { noValidate: true } })
    this.#machines.set(key, made)
    return made
  }
}
