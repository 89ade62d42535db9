import type { RequestOptions } from 'node:https'
import { CliError, EXIT } from '../errors.ts'
import { type ContextEntries, flattened, kubeconfigOf, needsPlugin } from './local-kubeconfig.ts'

const BEARER = /^Bearer (.+)$/

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined

/** The fields of a user that has what the plugin gave. */
const userOf = ({ headers, cert, key }: RequestOptions): Record<string, string> | undefined => {
  const [, token] = BEARER.exec(String((headers as Record<string, unknown> | undefined)?.Authorization ?? '')) ?? []
  if (token !== undefined) return { token }
  const [certificate, privateKey] = [textOf(cert), textOf(key)]
  if (certificate === undefined || privateKey === undefined) return undefined
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(privateKey) }
}

const failed = ({ name }: ContextEntries, cause?: unknown): CliError =>
  new CliError(`The plugin of context ${name} gives no credential.`, {
    exitCode: EXIT.denied,
    remedy: `kubectl --context ${name} auth whoami`,
    cause,
  })

/**
 * Runs the plugin that the person's own kubeconfig names, as kubectl does, through `@kubernetes/client-node`.
 *
 * @returns the context with the credential that it gave, which mostly ends within the hour
 * @throws CliError without the plugin's output, which may hold a token
 */
const withPluginCredential = async (context: ContextEntries): Promise<ContextEntries> => {
  // A quarter of a second of processor time, for these contexts only.
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  const { cluster, user, name } = flattened(context)
  const options: RequestOptions = {}
  try {
    config.loadFromString(kubeconfigOf({ name, cluster, user }))
    await config.applyToHTTPSOptions(options)
  } catch (cause) {
    throw failed(context, cause)
  }
  const given = userOf(options)
  if (given === undefined) throw failed(context)
  return { name, cluster, user: given }
}

/** The context with a credential that needs nothing of this machine: its plugin is run, or its files are embedded. @throws CliError */
export const withCredential = async (context: ContextEntries): Promise<ContextEntries> =>
  needsPlugin(context) ? withPluginCredential(context) : flattened(context)
