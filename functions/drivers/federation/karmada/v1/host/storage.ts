import * as z from 'zod'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { listAll } from '../../../../support/owned.ts'
import { StorageClassMissing } from '../errors.ts'
import { STORAGE_CLASS } from '../properties.ts'
import type { KarmadaProperties } from '../schema.ts'
import { storageClasses } from './resources.ts'

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

const Class = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }) })

const isDefault = (object: KubernetesObject): boolean => {
  const { annotations } = Class.parse(object).metadata
  return DEFAULT_CLASS.some((key) => annotations[key] === 'true')
}

/** All StorageClasses; undefined where we may not look. */
const readClasses = async (client: KubernetesClient): Promise<KubernetesObject[] | undefined> => {
  try {
    return await listAll(client, storageClasses)
  } catch (error) {
    if (error instanceof PermissionDenied) return undefined
    throw error
  }
}

/** What is wrong with the storage of the host for etcd, as a whole sentence; null when nothing is, or when we may not look. */
export const storageFault = async (
  client: KubernetesClient,
  { storageClass }: Pick<KarmadaProperties, 'storageClass'>,
): Promise<string | null> => {
  const found = await readClasses(client)
  if (found === undefined) return null
  const names = found.map(({ metadata }) => metadata.name)
  const choice = names.length === 0 ? 'It has none: install a provisioner of volumes.' : `It has: ${names.join(', ')}.`
  if (storageClass !== null) {
    return names.includes(storageClass)
      ? null
      : `The host has no StorageClass ${storageClass}, which property ${STORAGE_CLASS} names. ${choice}`
  }
  if (found.some(isDefault)) return null
  return `The host has no default StorageClass for etcd's volumes. Name one in property ${STORAGE_CLASS}, or make one the default. ${choice}`
}

/** @throws StorageClassMissing */
export const requireStorageClass = async (
  client: KubernetesClient,
  properties: Pick<KarmadaProperties, 'storageClass'>,
): Promise<void> => {
  const fault = await storageFault(client, properties)
  if (fault !== null) throw new StorageClassMissing(fault)
}
