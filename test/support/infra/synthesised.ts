import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { App, type Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { ROUTES } from '../../../functions/api/routes.ts'
import { addFedplane, type Fedplane } from '../../../infra/fedplane.ts'
import { parseSettings } from '../../../infra/settings/read-settings.ts'
import type { DeploymentConfig } from '../../../infra/settings/settings.schema.ts'

export type Fields = Record<string, unknown>
export type Resource = { Type: string; Properties: Fields; DeletionPolicy?: string; DependsOn?: string[] }

/** Templates of all stacks, by the stack's short name. */
export type Templates = Readonly<Record<keyof Fedplane, Template>>

/** Routes of the gateway are most of a synthesis; one of each kind stands for all. */
export const FEW_ROUTES = (['keys', 'table', 'none'] as const).map((access) => {
  const found = ROUTES.find((route) => route.access === access)
  if (found === undefined) throw new Error(`no route with access ${access}`)
  return found
})

const cdkContext = (): Fields => JSON.parse(readFileSync('cdk.json', 'utf8')).context

/** A folder that stands for each bundle. Remove it. */
export const bundleStandIn = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'fedplane-bundle-'))
  writeFileSync(path.join(folder, 'index.js'), 'exports.handler = async () => ({})')
  return folder
}

export type SynthesisOptions = {
  /** Default: none, so that everything has its default. */
  config?: DeploymentConfig
  /** Default: all. */
  routes?: typeof ROUTES
}

/** The app with all stacks, as `infra/app.ts` makes it. */
export const fedplaneApp = (folder: string, { config = {}, routes = ROUTES }: SynthesisOptions = {}) => {
  const app = new App({ analyticsReporting: false, context: cdkContext() })
  const stacks = addFedplane(app, { folderOf: () => folder, routes, settings: parseSettings(config) })
  return { app, stacks }
}

const made = new Map<string, Templates>()

/** Templates of an installation with these settings; made once for each. */
export const templatesOf = (options: SynthesisOptions = {}): Templates => {
  const key = JSON.stringify([options.config ?? {}, options.routes?.map(({ method, path: at }) => `${method} ${at}`)])
  const found = made.get(key) ?? synthesise(options)
  made.set(key, found)
  return found
}

const synthesise = (options: SynthesisOptions): Templates => {
  const folder = bundleStandIn()
  try {
    const { app, stacks } = fedplaneApp(folder, options)
    // `npm run synth` validates; it is most of a synthesis.
    app.synth({ skipValidation: true })
    const entries = Object.entries(stacks) as [keyof Fedplane, Stack][]
    return Object.fromEntries(entries.map(([name, stack]) => [name, Template.fromStack(stack)])) as Templates
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const resourcesIn = (template: Template, type: string): [id: string, resource: Resource][] =>
  Object.entries(template.findResources(type) as Record<string, Resource>)

export type Statement = { Effect: string; Action: string | string[]; Resource?: unknown; Condition?: Fields }

export const actionsIn = ({ Action }: Statement): string[] => [Action].flat()

/** Statements of the policies of roles, each with the logical ids of the roles that have it. */
export const statementsIn = (template: Template): { roles: string[]; statement: Statement }[] =>
  resourcesIn(template, 'AWS::IAM::Policy').flatMap(([, { Properties }]) => {
    const roles = (Properties.Roles as { Ref: string }[]).map(({ Ref }) => Ref)
    return (Properties.PolicyDocument as { Statement: Statement[] }).Statement.map((statement) => ({
      roles,
      statement,
    }))
  })
