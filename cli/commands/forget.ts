import type { ClusterView } from '../api/views.ts'
import { CliError } from '../errors.ts'
import type { Io } from '../io.ts'
import { clusterClient, explained } from '../kubeconfig/cluster-client.ts'
import { type ContextEntries, clusterNameOf, contextOf, loadKubeconfig } from '../kubeconfig/local-kubeconfig.ts'
import { withCredential } from '../kubeconfig/plugin-credential.ts'
import { hasAccess, removeAccess } from '../kubeconfig/service-account.ts'
import { shown } from '../output/table.ts'

/** What `cluster import` created in a cluster, and the context that leads there. */
export type Access = { cluster: string; context: ContextEntries; describe: string }

const sameServer = (one: unknown, other: string | null): boolean =>
  typeof one === 'string' &&
  other !== null &&
  URL.canParse(one) &&
  URL.canParse(other) &&
  new URL(one).href === new URL(other).href

/** What the command line created for a cluster, where a context leads. Undefined where it created nothing. */
const accessAt = async (found: ContextEntries, cluster: string): Promise<Access | undefined> => {
  const context = await withCredential(found)
  const client = clusterClient(context)
  try {
    if (!(await hasAccess(client, cluster))) return undefined
  } catch (error) {
    throw explained(error, found.name)
  } finally {
    client.close()
  }
  const describe = `The ServiceAccount fedplane-access/fedplane-${cluster} and its binding go from context ${found.name}.`
  return { cluster, context, describe }
}

/**
 * Finds the context of the person's kubeconfig that leads to a cluster, by the address of its API server, and what the command line created there.
 *
 * @throws CliError when there is no such context, or nothing of ours in that cluster
 */
export const findAccess = async (io: Io, { name, api_address }: ClusterView, file?: string): Promise<Access> => {
  const config = loadKubeconfig(io.env, file)
  // Others may lead nowhere.
  const found = [...config.contexts].find(
    ([, { cluster, user }]) => sameServer(config.clusters.get(cluster)?.server, api_address) && config.users.has(user),
  )
  if (found === undefined) {
    throw new CliError(`No context of ${config.files.join(', ')} leads to ${api_address}, the API server of ${name}.`, {
      remedy: '--kubeconfig FILE, or leave --forget out',
    })
  }
  const access = await accessAt(contextOf(config, found[0]), name)
  if (access) return access
  throw new CliError(`cluster import created nothing in ${name}.`, { remedy: 'Leave --forget out.' })
}

/** The same for a cluster that is not registered any more: by the context that it was named after. @throws CliError */
export const findLeftAccess = async (io: Io, name: string, file?: string): Promise<Access | undefined> => {
  const config = loadKubeconfig(io.env, file)
  const named = [...config.contexts.keys()].find((context) => clusterNameOf(context) === name)
  return named === undefined ? undefined : accessAt(contextOf(config, named), name)
}

/** Takes it away. */
export const forgetAccess = async (io: Io, { cluster, context }: Access): Promise<void> => {
  const client = clusterClient(context)
  try {
    await removeAccess(client, cluster)
    io.stdout.write(`ServiceAccount of cluster/${shown(cluster)} deleted\n`)
  } catch (error) {
    throw explained(error, context.name)
  } finally {
    client.close()
  }
}
