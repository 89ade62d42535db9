import { timingSafeEqual } from 'node:crypto'
import type { KubernetesClient, KubernetesObject } from '../../kubernetes/client.ts'
import { ObjectConflict } from '../../kubernetes/errors.ts'
import type { Manifest } from '../../kubernetes/manifest.ts'
import { namespaces, secrets } from '../../kubernetes/resources.ts'
import type { Ports } from '../ports.ts'
import { isAppError } from '../values/app-error.ts'

/** What is written through one connection and read back through another. Both parts are random: nobody can have made that namespace before. */
export type IdentityMark = { namespace: string; value: string }

const SECRET = 'identity-mark'
const MANAGED = { 'app.kubernetes.io/managed-by': 'fedplane' }

const namespaceOf = ({ namespace }: IdentityMark): Manifest<'Namespace'> => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: namespace,
    labels: MANAGED,
    annotations: {
      'fedplane/purpose':
        'Proves that another kubeconfig leads to this cluster. It goes by itself; delete it if it stays.',
    },
  },
})

const secretOf = ({ namespace, value }: IdentityMark): Manifest<'Secret'> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: SECRET, namespace, labels: MANAGED },
  type: 'Opaque',
  stringData: { mark: value },
})

/** Creates what an earlier try of ours may have created already. */
const create = async (act: () => Promise<unknown>): Promise<void> => {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
  }
}

const markIn = (secret: KubernetesObject | undefined): Buffer => {
  const text = (secret?.data as Record<string, unknown> | undefined)?.mark
  return Buffer.from(typeof text === 'string' ? text : '', 'base64')
}

const isEqual = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other)

/** The namespace goes with its Secret. One that can't be removed tells nobody anything, and is logged. */
const cleanUp = async (ports: Pick<Ports, 'log'>, before: KubernetesClient, { namespace }: IdentityMark) => {
  try {
    await before.delete(namespaces, namespace)
  } catch (error) {
    if (!isAppError(error)) throw error
    ports.log.warn('namespace of an identity mark stayed', { namespace, error: error.name, message: error.message })
  }
}

/**
 * Writes a mark into a cluster through the connection that it is known by, and reads it back through another: true when both lead to the same
 * cluster. A Secret, so that whoever can relay it may read every Secret anyway. Can run twice with the same mark.
 *
 * @throws errors of the client, of either connection
 */
export const isSameByMark = async (
  ports: Pick<Ports, 'log'>,
  { before, after }: { before: KubernetesClient; after: KubernetesClient },
  mark: IdentityMark,
): Promise<boolean> => {
  try {
    await create(() => before.create(namespaces, namespaceOf(mark)))
    await create(() => before.create(secrets(mark.namespace), secretOf(mark)))
    return isEqual(markIn(await after.get(secrets(mark.namespace), SECRET)), Buffer.from(mark.value))
  } finally {
    await cleanUp(ports, before, mark)
  }
}
