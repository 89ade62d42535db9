import { Readable } from 'node:stream'
import type { Environment } from '../../cli/io.ts'
import { table } from '../../cli/output/table.ts'
import { run } from '../../cli/run.ts'
import type { KubernetesClient } from '../../functions/kubernetes/client.ts'
import type { ClusterSet } from '../clusters/take-clusters.ts'
import {
  consumerClient,
  hasProfileApi,
  namespacesSeenBy,
  type Profile,
  profilesOf,
  remainsOf,
  removeProfileApi,
  usableViewRole,
} from './observe.ts'

/** Everything that the demo holds open. */
export type Stage = {
  set: ClusterSet
  /** Clients of the clusters themselves, in their order. */
  clients: KubernetesClient[]
  /** For the command line: which server, which kubeconfigs. */
  env: Environment
  /** Ends waits of the command line. */
  signal: AbortSignal
}

/** What the demo made and found, for cleaning up whatever happens. */
export type Made = {
  federationId: string | undefined
  /** Whether the host had the ClusterProfile API before. */
  hadProfileApi: boolean
}

/** A check of the demo that does not hold, or a command that failed. */
class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}

const check = (holds: boolean, sentence: string): void => {
  if (!holds) throw new CheckFailed(sentence)
}

/**
 * Runs a line of the command line, as a person would.
 *
 * @returns what it prints, without the last line break
 * @throws CheckFailed with what it says when it fails; the signal's reason when it was interrupted
 */
export const fedplane = async ({ env, signal }: Pick<Stage, 'env' | 'signal'>, line: string): Promise<string> => {
  let printed = ''
  let explained = ''
  const io = {
    stdout: { write: (text: string) => (printed += text) },
    stderr: { write: (text: string) => (explained += text) },
    stdin: Readable.from([]),
    env,
    signal,
  }
  const code = await run(line.split(' '), io)
  signal.throwIfAborted()
  const [fault = explained] = explained.match(/(?<=^fedplane: ).*$/m) ?? []
  check(code === 0, fault.trim())
  return printed.trimEnd()
}

const hostOf = ({ clients }: Stage): KubernetesClient => {
  const [host] = clients
  if (host === undefined) throw new CheckFailed('there is no host cluster')
  return host
}

/** `init`, which registers all clusters and makes a federation of the first, and `join`. */
export const buildLines = async (stage: Stage): Promise<string[]> => {
  const [host = '', ...members] = stage.set.clusters.map(({ context }) => context)
  const role = await usableViewRole(stage.clients.slice(1))
  const [first = '', ...others] = members
  return [
    `init demo --host ${host} --join ${first} --driver clusterprofile@1 --property member-role=${role}`,
    `federation join demo ${others.join(' ')}`,
  ]
}

/** What has to be known before anything is made, to clean up. */
export const observeBefore = async (stage: Stage, made: Made): Promise<void> => {
  made.hadProfileApi = await hasProfileApi(hostOf(stage))
}

/** Checks what the commands made. @throws CheckFailed */
export const checkMembers = async (stage: Stage, made: Made): Promise<void> => {
  made.federationId = await fedplane(stage, 'federation show demo -o jsonpath={.uuid}')
  const states = await fedplane(stage, 'federation show demo -o jsonpath={.members[*].state}')
  check(
    states ===
      stage.set.clusters
        .slice(1)
        .map(() => 'Ready')
        .join(' '),
    `members are ${states}`,
  )
}

const showProfiles = (profiles: readonly Profile[]): string =>
  table(
    ['CLUSTERPROFILE', 'SERVER', 'VERSION', 'CONDITIONS'],
    profiles.map(({ metadata, status }) => [
      metadata.name,
      status.accessProviders[0]?.cluster.server ?? '',
      status.version?.kubernetes ?? '',
      status.conditions.map((condition) => `${condition.type}=${condition.status}`).join(', '),
    ]),
  ).trimEnd()

/** What the host holds now, read from the host itself. */
export const showInventory = async (stage: Stage, made: Made): Promise<{ profiles: Profile[]; text: string }> => {
  const profiles = await profilesOf(hostOf(stage), made.federationId ?? '')
  const members = stage.set.clusters.length - 1
  check(profiles.length === members, `the host holds ${profiles.length} ClusterProfiles, not ${members}`)
  return { profiles, text: showProfiles(profiles) }
}

const useOne = async (host: KubernetesClient, profile: Profile): Promise<string> => {
  const client = await consumerClient(host, profile)
  try {
    const names = await namespacesSeenBy(client)
    check(names.includes('kube-system'), `the credential of ${profile.metadata.name} sees no kube-system`)
    return `${profile.metadata.name}: ${names.join(', ')}`
  } finally {
    client.close()
  }
}

/** Uses the published credentials as Argo CD or Kueue would: lists the member's namespaces. */
export const useCredentials = async (stage: Stage, profiles: readonly Profile[]): Promise<string> => {
  const host = hostOf(stage)
  return (await Promise.all(profiles.map((profile) => useOne(host, profile)))).join('\n')
}

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')

/**
 * Takes everything out of fedplane again: also what another client changed or added while the demo was kept open, so it asks what there is.
 * Members leave first, for all to see; then federations, then clusters.
 */
export const takeDownLines = async (stage: Stage): Promise<string[]> => {
  const isThere = words(await fedplane(stage, 'federation list -o jsonpath={.federations[*].name}')).includes('demo')
  // What another client began is waited for: an unjoin that runs can't be asked for again.
  if (isThere) await fedplane(stage, 'federation watch demo')
  const members = words(
    await fedplane(stage, 'federation list -o jsonpath={.federations[?(@.name=="demo")].members[*].name}'),
  )
  const federations = words(await fedplane(stage, 'federation list -o jsonpath={.federations[*].name}'))
  const clusters = words(await fedplane(stage, 'cluster list -o jsonpath={.clusters[*].name}'))
  return [
    ...(members.length === 0 ? [] : [`federation unjoin demo ${members.join(' ')} --yes`]),
    ...(federations.length === 0 ? [] : [`federation delete ${federations.join(' ')} --yes`]),
    ...(clusters.length === 0 ? [] : [`cluster delete ${clusters.join(' ')} --yes`]),
  ]
}

/**
 * Asks every cluster for what carries the federation's label. Returns a sentence for each empty namespace that waits for a
 * namespace controller; all else is a fault. @throws CheckFailed
 */
export const checkNothingLeft = async ({ clients, set }: Stage, made: Made): Promise<string[]> => {
  const waiting: string[] = []
  for (const [index, client] of clients.entries()) {
    const name = set.clusters[index]?.name ?? ''
    const remains = await remainsOf(client, made.federationId ?? '')
    const lasting = remains.filter(({ terminating }) => !terminating)
    check(lasting.length === 0, `left in ${name}: ${lasting.map(({ text }) => text).join(', ')}`)
    waiting.push(...remains.map(({ text }) => `${text} in ${name}`))
  }
  return waiting
}

/** Takes away the ClusterProfile API if the demo brought it. Null when it was there before. */
export const removeProfileApiAgain = async (stage: Stage, made: Made): Promise<boolean | null> =>
  made.hadProfileApi ? null : removeProfileApi(hostOf(stage))
