import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { StateMachineDefinition } from 'aws-local-stepfunctions'
import { AppError } from '../../functions/domain/app-error.ts'
import type { Flow } from '../../functions/domain/operation.ts'
import { lintAsl } from '../../infra/asl-lint.ts'

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
  const filled = text.replaceAll(/\$\{StepFunctionArn\}/g, localArn('lambda', `function:fedplane-${flow}`))
  try {
    return JSON.parse(filled)
  } catch (cause) {
    throw new DefinitionRefused(`The state machine ${flow} is no JSON; correct its flow.asl.json.`, { cause })
  }
}

/**
 * A definition from the text of `flow.asl.json`, with its substitution filled in.
 *
 * @throws DefinitionRefused naming every fault
 */
export const parseDefinition = (flow: Flow, text: string): Definition => {
  const definition = parse(flow, text)
  const faults = lintAsl(flow, definition, [])
  if (faults.length > 0) {
    throw new DefinitionRefused(`The state machine ${flow} is refused: ${faults.join('; ')}.`, { details: { faults } })
  }
  return definition as Definition
}

/**
 * Reads `<folder>/<flow>/flow.asl.json` of each flow: the very files that are deployed.
 *
 * @throws DefinitionRefused
 */
export const loadDefinitions = async (folder: string, flows: readonly Flow[]): Promise<Definitions> => {
  const load = async (flow: Flow): Promise<[Flow, Definition]> => {
    const file = path.join(folder, flow, 'flow.asl.json')
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new DefinitionRefused(`The state machine ${flow} has no readable flow.asl.json.`, { cause })
    })
    return [flow, parseDefinition(flow, text)]
  }
  return Object.fromEntries(await Promise.all(flows.map(load)))
}
