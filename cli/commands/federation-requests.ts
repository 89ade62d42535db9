import { type Command, Option } from 'commander'
import { type ApiClient, segment } from '../api/client.ts'
import type { DryRunView } from '../api/views.ts'
import { CliError } from '../errors.ts'
import type { Io } from '../io.ts'
import { shown } from '../output/table.ts'
import type { ServerOptions } from '../profiles/server.ts'
import type { WaitFlags } from './options.ts'

/** What the verbs that change federations share. */

export type ChangeOptions = ServerOptions & WaitFlags

export const pathOf = (name: string): string => `/federations/${segment(name)}`
export const watchOf = (name: string): string => `fedplane federation watch ${name}`

/** What a dry run found, for people. @throws CliError when the change would fail */
export const printDryRun = (
  io: Io,
  { would_succeed, findings = [], would_make = [], would_remove = [], ...members }: DryRunView,
): void => {
  for (const line of would_make) io.stdout.write(`would create ${shown(line)}\n`)
  for (const line of would_remove) io.stdout.write(`would remove ${shown(line)}\n`)
  const { would_join = [], would_leave = [], would_cordon = [] } = members
  for (const { name } of would_join) io.stdout.write(`would join ${shown(name)}\n`)
  for (const { name } of would_leave) io.stdout.write(`would leave ${shown(name)}\n`)
  for (const { name } of would_cordon) io.stdout.write(`would cordon ${shown(name)}\n`)
  for (const { severity, reason, message } of findings)
    io.stdout.write(`${shown(`${severity} ${reason}: ${message}`)}\n`)
  if (!would_succeed) throw new CliError('The change would fail.', { remedy: 'Repair what the errors name.' })
  io.stdout.write('The change would succeed.\n')
}

export type Patch = { op: 'add' | 'remove'; path: string; value?: unknown }[]
/** Parameters of a patch or a deletion. */
type ChangeQuery = { force?: boolean | undefined; workloads?: string | undefined; dry_run?: boolean | undefined }

export const patch = (api: ApiClient, name: string, operations: Patch, query: ChangeQuery = {}) =>
  api.ask<DryRunView>('PATCH', pathOf(name), { query, body: operations })

/** Options of what takes members out of a federation. */
export const withRemoval = (command: Command): Command =>
  command
    .option('--force', 'end the unjoin of members that can not be reached')
    .addOption(
      new Option('--workloads <choice>', 'what the federation brought into the members').choices(['keep', 'delete']),
    )
export type RemovalFlags = { force?: boolean; workloads?: string; yes?: boolean }

export type SelectorFlags = { selector?: string; removeSelector?: boolean }

export type HealthPolicyFlags = { onUnhealthy?: string; afterSeconds?: string; onHealthy?: string }

/** Options of what becomes of members that are unhealthy. */
export const withHealthPolicy = (command: Command): Command =>
  command
    .addOption(
      new Option('--on-unhealthy <choice>', 'what becomes of members whose cluster is unhealthy').choices([
        'keep',
        'cordon',
        'unjoin',
      ]),
    )
    .option('--after-seconds <seconds>', 'for how long a cluster has to be unhealthy before that')
    .addOption(
      new Option('--on-healthy <choice>', 'what becomes of those that left by it').choices(['rejoin', 'nothing']),
    )

/** What of the health policy is named: the rest stays. */
export const healthPolicyPatch = ({ onUnhealthy, afterSeconds, onHealthy }: HealthPolicyFlags): Patch =>
  [
    { path: '/on_unhealthy', value: onUnhealthy },
    { path: '/after_seconds', value: afterSeconds },
    { path: '/on_healthy', value: onHealthy },
  ].flatMap(({ path, value }) => (value === undefined ? [] : [{ op: 'add' as const, path, value }]))

/** Guards and other criteria stay with the API: here labels are said anew. */
export const selectorPatch = ({ selector, removeSelector }: SelectorFlags): Patch => {
  if (removeSelector) return [{ op: 'remove', path: '/member_selector' }]
  return selector === undefined ? [] : [{ op: 'add', path: '/member_selector', value: { labels: selector } }]
}
