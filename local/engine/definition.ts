import { readFile } from 'node:fs/promises'
import type { StateMachineDefinition } from 'aws-local-stepfunctions'
import { EXECUTION_SECONDS } from '../../functions/core/operation/deadlines.ts'
import type { Flow } from '../../functions/core/operation/operation.ts'
import { AppError } from '../../functions/core/values/app-error.ts'
import { lintAsl, SUBSTITUTIONS } from './asl-lint.ts'

/** A state machine's definition can't be read, or uses what AWS and the engine do not do alike. */
class DefinitionRefused extends AppError {
  override readonly name = 'DefinitionRefused'
  readonly kind = 'internal'
}

export type Definition = StateMachineDefinition
export type Definitions = Partial<Record<Flow, Definition>>

/** ARNs have the form that AWS gives them, so that whatever takes them apart works; account and region are made up. */
export const localArn = (service: string, resource: string): string =>
  `arn:aws:${service}:local:000000000000:${resource}`

const parse = (flow: Flow, text: string): unknown => {
  const values: Record<(typeof SUBSTITUTIONS)[number], string> = {
    StepFunctionArn: localArn('lambda', 'function:fedplane-step'),
    Flow: flow,
  }
  const filled = SUBSTITUTIONS.reduce((all, name) => all.replaceAll(`\${${name}}`, values[name]), text)
  try {
    return JSON.parse(filled)
  } catch (cause) {
    throw new DefinitionRefused('The definition of the state machines is no JSON; correct operation.asl.json.', {
      cause,
    })
  }
}

/**
 * A flow's definition from the text of `operation.asl.json`, with its substitutions filled in, and with the end of its executions as on AWS.
 *
 * @throws DefinitionRefused naming every fault
 */
export const parseDefinition = (flow: Flow, text: string): Definition => {
  const definition = parse(flow, text)
  const faults = lintAsl(flow, definition, [])
  if (faults.length > 0) {
    throw new DefinitionRefused(`The state machine ${flow} is refused: ${faults.join('; ')}.`, { details: { faults } })
  }
  return { TimeoutSeconds: EXECUTION_SECONDS[flow], ...(definition as Definition) }
}

/**
 * Reads the definition of all flows, the very file that is deployed: one state machine for each.
 *
 * @throws DefinitionRefused
 */
export const loadDefinitions = async (file: string, flows: readonly Flow[]): Promise<Definitions> => {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new DefinitionRefused(`The definition of the state machines can't be read from ${file}.`, { cause })
  })
  return Object.fromEntries(flows.map((flow) => [flow, parseDefinition(flow, text)]))
}
