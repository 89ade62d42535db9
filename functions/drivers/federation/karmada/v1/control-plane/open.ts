import * as z from 'zod'
import type { AppError } from '../../../../../core/values/app-error.ts'
import { Secret } from '../../../../../core/values/secret.ts'
import { withoutFullStop } from '../../../../../core/values/wording.ts'
import type { Connection, KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import {
  AddressForbidden,
  ApiUnavailable,
  ConnectFailed,
  ConnectTimedOut,
  DnsLookupFailed,
} from '../../../../../kubernetes/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { Pending } from '../../../../support/step.ts'
import { componentSelector, pods } from '../host/plan.ts'
import { API_SERVER, API_SERVER_PORT, stateOf } from '../model/names.ts'
import { namespaceOf } from '../model/properties.ts'
import { type Pki, readPki } from '../pki/pki.schema.ts'

const Pod = z.object({
  metadata: z.object({ deletionTimestamp: z.string().optional() }),
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
})

/** True for a pod that takes requests and is not going away. */
export const isReadyPod = (pod: KubernetesObject): boolean => {
  const { data } = Pod.safeParse(pod)
  return (
    data?.metadata.deletionTimestamp === undefined &&
    (data?.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false)
  )
}

/** A way into the API server of a federation, as its administrator. Whoever opened it closes it. */
type ControlPlane = {
  client: KubernetesClient
  /** Why its address was not gone to, when the way leads through the host's API. */
  detour: string | null
  close(): void
}

const connectionTo = (server: string, { authorities, leaves }: Pki): Connection => ({
  server,
  caPem: authorities.karmada.certificate,
  tlsServerName: null,
  tlsVerify: true,
  credential: {
    kind: 'client-certificate',
    certificatePem: leaves.admin.certificate,
    keyPem: new Secret(leaves.admin.key),
  },
})

/** Nothing answers at the address from where we are: what going through the host's API may help against. */
const isOutOfReach = (error: unknown): error is AppError =>
  error instanceof ConnectFailed ||
  error instanceof ConnectTimedOut ||
  error instanceof DnsLookupFailed ||
  error instanceof AddressForbidden

/** Opens the connection and sees that something answers, whatever it says. */
const proved = async (context: FederationContext, connection: Connection): Promise<ControlPlane> => {
  const client = context.connect(connection)
  try {
    await client.reach()
    return { client, detour: null, close: () => client.close() }
  } catch (error) {
    client.close()
    throw error
  }
}

const nameOf = (pod: KubernetesObject): string => pod.metadata.name

/** A pod to go through: any Ready one of the API server. */
const readyPod = async ({ host, federation }: FederationContext): Promise<string | undefined> => {
  const client = await host.client()
  const { items } = await client.list(pods(namespaceOf(federation)), {
    labelSelector: componentSelector(federation.id, API_SERVER),
  })
  return items.filter(isReadyPod).map(nameOf).sort()[0]
}

const forwarded = async (
  context: FederationContext,
  connection: Connection,
  fault: AppError,
): Promise<ControlPlane> => {
  const pod = await readyPod(context)
  if (pod === undefined) throw new Pending(`a pod of ${API_SERVER} to be Ready, since from here: ${fault.message}`)
  const target = { namespace: namespaceOf(context.federation), pod, port: API_SERVER_PORT }
  return { ...(await proved(context, { ...connection, dial: context.host.dial(target) })), detour: fault.message }
}

/**
 * Opens the API server of the federation with the administrator's certificate: at its address, and where nothing answers there through the host's
 * API (`pods/portforward`), with the same TLS checks.
 *
 * @throws Pending before it has an address and certificates, and while it has no pod to go through
 */
export const openControlPlane = async (context: FederationContext): Promise<ControlPlane> => {
  const pki = await readPki(context)
  const { endpoint } = stateOf(context.federation)
  if (endpoint === undefined) throw new Pending('the control plane to have an address')
  if (pki === undefined) throw new Pending('the control plane to have certificates')
  const connection = connectionTo(endpoint, pki)
  try {
    return await proved(context, connection)
  } catch (error) {
    if (!isOutOfReach(error)) throw error
    return forwarded(context, connection, error)
  }
}

/** Opens it, uses it, closes it. @throws Pending as `openControlPlane`, and what `use` throws */
export const withControlPlane = async <T>(
  context: FederationContext,
  use: (client: KubernetesClient, detour: string | null) => Promise<T>,
): Promise<T> => {
  const { client, detour, close } = await openControlPlane(context)
  try {
    return await use(client, detour)
  } finally {
    close()
  }
}

/**
 * `withControlPlane` for work that can wait: while a part of the control plane starts again, the webhook above all, its API server answers 500. That
 * is nobody else's fault, and over in seconds, or when the step's deadline passes.
 *
 * @throws Pending naming the control plane, as `openControlPlane`, and what `use` throws
 */
export const workInControlPlane = <T>(
  context: FederationContext,
  use: (client: KubernetesClient) => Promise<T>,
): Promise<T> =>
  withControlPlane(context, async (client) => {
    try {
      return await use(client)
    } catch (error) {
      if (!(error instanceof ApiUnavailable)) throw error
      throw new Pending(
        `the control plane of ${context.federation.name} to work again: ${withoutFullStop(error.message)}`,
      )
    }
  })

/** False before the control plane is set up, and after it is gone. */
export const hasControlPlane = async (context: FederationContext): Promise<boolean> =>
  stateOf(context.federation).endpoint !== undefined && (await readPki(context)) !== undefined
