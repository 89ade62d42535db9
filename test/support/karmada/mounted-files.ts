import type { Cluster } from '../../../simulated-kubernetes/cluster.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import { decoded } from './remembered.ts'

const SECRETS = { group: '', plural: 'secrets' }

type Container = { command?: string[]; args?: string[]; volumeMounts?: { name: string; mountPath: string }[] }
type Template = {
  spec: {
    containers: Container[]
    volumes?: { name: string; secret?: { secretName: string; items?: { key: string; path: string }[] } }[]
  }
}

const templateOf = (workload: ApiObject): Template => (workload.spec as { template: Template }).template

const firstContainer = (workload: ApiObject): Container => {
  const [container] = templateOf(workload).spec.containers
  if (container === undefined) throw new Error(`${workload.kind} ${workload.metadata.name} has no container.`)
  return container
}

/** A fault that keeps a program from starting: what it would log. */
export class ProgramFault extends Error {
  override readonly name = 'ProgramFault'
}

/** What a program sees of the pod that it runs in: its flags, and the Secrets that are mounted. */
export type Program = {
  namespace: string
  /** Value of `--name=value`. @throws ProgramFault when it is not given */
  flag(name: string): string
  hasFlag(name: string): boolean
  /** Content of a file. @throws ProgramFault when nothing mounts it */
  file(path: string): string
  /** Content of the file that a flag names. @throws ProgramFault */
  fileOf(flag: string): string
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder.replace(/\/$/, '')}/`)

/** The program of a workload's first container. */
export const programOf = (host: Cluster, workload: ApiObject): Program => {
  const { command = [], args = [], volumeMounts = [] } = firstContainer(workload)
  const { namespace = '' } = workload.metadata
  const words = [...command, ...args]
  const flagValue = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`--${name}=`))?.slice(`--${name}=`.length)
  const flag = (name: string): string => {
    const value = flagValue(name)
    if (value === undefined) throw new ProgramFault(`the flag --${name} is missing`)
    return value
  }
  const secretFile = (volume: string, name: string): string | undefined => {
    const { secret } = templateOf(workload).spec.volumes?.find((it) => it.name === volume) ?? {}
    const key = secret?.items === undefined ? name : secret.items.find(({ path }) => path === name)?.key
    const { data = {} } = (host.store.get(SECRETS, secret?.secretName ?? '', namespace)?.object ?? {}) as {
      data?: Record<string, string>
    }
    const content = data[key ?? '']
    return content === undefined ? undefined : decoded(content)
  }
  const file = (path: string): string => {
    const mount = volumeMounts.find(({ mountPath }) => isBelow(path, mountPath))
    const content =
      mount === undefined
        ? undefined
        : secretFile(mount.name, path.slice(mount.mountPath.replace(/\/$/, '').length + 1))
    if (content === undefined) throw new ProgramFault(`open ${path}: no such file or directory`)
    return content
  }
  return { namespace, flag, hasFlag: (name) => flagValue(name) !== undefined, file, fileOf: (name) => file(flag(name)) }
}
