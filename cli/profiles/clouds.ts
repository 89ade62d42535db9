import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { CliError, usageError } from '../errors.ts'
import { homeOf } from '../files.ts'
import type { Environment } from '../io.ts'

/** What OpenStack's clients read of a cloud: https://docs.openstack.org/openstacksdk/latest/user/config/configuration.html */
const Text = z.union([z.string(), z.number()]).transform(String)
const Auth = z.object({
  auth_url: Text.optional(),
  username: Text.optional(),
  user_id: Text.optional(),
  password: Text.optional(),
  user_domain_name: Text.optional(),
  user_domain_id: Text.optional(),
  project_name: Text.optional(),
  project_id: Text.optional(),
  project_domain_name: Text.optional(),
  project_domain_id: Text.optional(),
  token: Text.optional(),
  application_credential_id: Text.optional(),
  application_credential_name: Text.optional(),
  application_credential_secret: Text.optional(),
  /** Of the kinds `none` and `admin_token`. */
  endpoint: Text.optional(),
})
export type CloudAuth = z.infer<typeof Auth>

const Cloud = z.object({
  auth: Auth.default({}),
  auth_type: z.string().optional(),
  region_name: Text.optional(),
  interface: z.string().optional(),
  cacert: z.string().optional(),
  verify: z.boolean().optional(),
  container_infra_endpoint_override: z.string().optional(),
})
export type Cloud = z.infer<typeof Cloud>

const File = z.object({ clouds: z.record(z.string(), z.unknown()).default({}) })

const FOLDERS = (env: Environment): string[] => [
  '.',
  path.join(env.XDG_CONFIG_HOME || path.join(homeOf(env), '.config'), 'openstack'),
  '/etc/openstack',
]

const find = (env: Environment, name: string): string | undefined =>
  FOLDERS(env)
    .flatMap((folder) => [path.join(folder, `${name}.yaml`), path.join(folder, `${name}.yml`)])
    .find((file) => existsSync(file))

const load = (file: string | undefined): Record<string, unknown> => {
  if (file === undefined) return {}
  try {
    return File.parse(parse(readFileSync(file, 'utf8')) ?? {}).clouds
  } catch (cause) {
    // What the parser says may quote a password.
    throw new CliError(`${file} can't be read as clouds.yaml.`, { remedy: 'openstack config show', cause })
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** `secure.yaml` is laid over `clouds.yaml`. */
const overlay = (base: unknown, over: unknown): unknown => {
  if (!(isObject(base) && isObject(over))) return over === undefined ? base : over
  return Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => [key, overlay(base[key], over[key])]),
  )
}

/** Nothing that all objects have. */
const own = (clouds: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(clouds, name) ? clouds[name] : undefined

/** An entry of clouds.yaml. @throws CliError */
export const readCloud = (env: Environment, name: string): Cloud => {
  const file = env.OS_CLIENT_CONFIG_FILE || find(env, 'clouds')
  const clouds = load(file)
  const entry = overlay(own(clouds, name), own(load(find(env, 'secure')), name))
  if (entry === undefined) {
    const known = Object.keys(clouds)
    throw usageError(
      `There is no cloud ${name} in ${file ?? 'clouds.yaml, which is nowhere'}.`,
      known.length === 0 ? 'OS_CLIENT_CONFIG_FILE names the file.' : `One of ${known.join(', ')}.`,
    )
  }
  const cloud = Cloud.safeParse(entry)
  if (cloud.success) return cloud.data
  const fields = cloud.error.issues.map((issue) => issue.path.join('.')).join(', ')
  throw new CliError(`The cloud ${name} in ${file} is wrong at ${fields}.`, {
    remedy: `openstack --os-cloud ${name} token issue`,
  })
}

/** The same from `OS_*` variables, as an openrc file sets them; undefined without `OS_AUTH_URL`, and without an endpoint for a kind that needs no Keystone. */
export const cloudOfEnvironment = (env: Environment): Cloud | undefined => {
  if (!(env.OS_AUTH_URL || env.OS_ENDPOINT)) return undefined
  const variables = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith('OS_') && value ? [[name.slice('OS_'.length).toLowerCase(), value]] : [],
  )
  const given = Object.fromEntries(variables) as Record<string, string>
  return {
    auth: Auth.parse(given),
    auth_type: given.auth_type,
    region_name: given.region_name,
    interface: given.interface,
    cacert: given.cacert,
    container_infra_endpoint_override: given.container_infra_endpoint_override,
  }
}
