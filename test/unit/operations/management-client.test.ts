import { describe, expect, it } from 'vitest'
import {
  AwsCredentialsMissing,
  CredentialMissing,
  ManagementUnreachable,
} from '../../../functions/drivers/contract/errors.ts'
import type { KubernetesClient, KubernetesObject } from '../../../functions/kubernetes/client.ts'
import {
  AddressForbidden,
  AnswerTooLarge,
  ApiUnavailable,
  ClusterIdentityChanged,
  ConnectFailed,
  CredentialRejected,
  ObjectConflict,
  ObjectInvalid,
  PermissionDenied,
  StoredConnectionInvalid,
} from '../../../functions/kubernetes/errors.ts'
import { namespaces, secrets } from '../../../functions/kubernetes/resources.ts'
import { managementClient } from '../../../functions/operations/management-client.ts'
import { rejectionOf } from '../../support/kubernetes/leaks.ts'

/** A client of which every call fails, with reviews that allow only what is listed. */
const failing = (fault: Error, allowed: readonly string[] = []) => {
  const asked: string[] = []
  const fail = () => Promise.reject(fault)
  const post = async (_path: string, body: unknown): Promise<KubernetesObject> => {
    const { verb, resource } = (body as { spec: { resourceAttributes: { verb: string; resource: string } } }).spec
      .resourceAttributes
    asked.push(`${verb} ${resource}`)
    return { apiVersion: 'v1', kind: 'Review', metadata: { name: '' }, status: { allowed: allowed.includes(verb) } }
  }
  const client = { get: fail, list: fail, apply: fail, delete: fail, version: fail, post, close: () => undefined }
  return { client: managementClient(client as unknown as KubernetesClient, 'mgmt'), asked }
}

const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }

describe('a client to a management cluster', () => {
  it.each([
    new ConnectFailed('Get https://10.0.0.1:6443 refused'),
    new CredentialRejected('user system:serviceaccount:operators:narrow'),
    new ApiUnavailable('failed to call webhook https://10.0.0.9'),
    new ClusterIdentityChanged('another uid'),
    new AddressForbidden('The name mgmt.internal resolves to 10.0.0.1, which is in a range'),
    new CredentialMissing('Cluster mgmt (0193) has no kubeconfig.'),
    new StoredConnectionInvalid('The stored credential of the cluster is not in a form'),
    new AwsCredentialsMissing('fedplane has no credentials of AWS'),
  ])('says of %o no more than whose fault it is', async (fault) => {
    const error = await rejectionOf(failing(fault).client.get(namespaces, 'x'))
    expect(error).toBeInstanceOf(ManagementUnreachable)
    expect(error).toMatchObject({
      message: `Management cluster mgmt can't be worked with at the moment (${fault.name}). Its own health says more to its operators.`,
      cause: fault,
      retryable: true,
    })
  })

  it.each([
    new ObjectInvalid('spec.x'),
    new ObjectConflict('is there'),
    new AnswerTooLarge('too much'),
    new TypeError('bug'),
  ])('leaves %o as it is', async (fault) => {
    expect(await rejectionOf(failing(fault).client.version())).toBe(fault)
  })

  it('takes a 403 for a fault of the way only where rights are missing', async () => {
    const denied = new PermissionDenied('forbidden')
    const missing = failing(denied, ['patch'])
    expect(await rejectionOf(missing.client.apply(secrets('a'), object))).toBeInstanceOf(ManagementUnreachable)
    expect(missing.asked).toEqual(['patch secrets', 'create secrets'])
    const refused = failing(denied, ['patch', 'create'])
    expect(await rejectionOf(refused.client.apply(secrets('a'), object))).toBe(denied)
  })

  it('hands on what works', async () => {
    const client = { get: async () => object, close: () => 'closed' } as unknown as KubernetesClient
    const managed = managementClient(client, 'mgmt')
    expect(await managed.get(namespaces, 'x')).toBe(object)
    expect(managed.close()).toBe('closed')
  })
})
