import { describe, expect, it } from 'vitest'
import { managementClient } from '../../../functions/core/access/management-client.ts'
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
  ObjectNotFound,
  PermissionDenied,
  StoredConnectionInvalid,
} from '../../../functions/kubernetes/errors.ts'
import { namespaces, secrets } from '../../../functions/kubernetes/resources.ts'
import { rejectionOf as thrownBy } from '../../support/kubernetes/leaks.ts'

const rejectionOf = async (promise: Promise<unknown>): Promise<Error> => (await thrownBy(promise)) as Error

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
  const calls = { get: fail, list: fail, create: fail, apply: fail, patch: fail, delete: fail, version: fail }
  const client = { ...calls, post, close: () => undefined }
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

  it('leaves what is no fault of ours to tell as it is', async () => {
    const bug = new TypeError('bug')
    expect(await rejectionOf(failing(bug).client.version())).toBe(bug)
  })

  const ASKED = 'POST /apis/x/v1/namespaces/a/things of 10.0.0.1:6443'

  it.each([
    ['ObjectInvalid', new ObjectInvalid(`${ASKED} was refused (422): spec.x.`, { details: { said: 'spec.x' } })],
    [
      'PermissionDenied',
      new PermissionDenied(`${ASKED} was refused (403): not on Saturdays.`, { details: { said: 'not on Saturdays' } }),
    ],
  ])('tells what is said to an object in the words of the API server only: %s', async (name, fault) => {
    const error = await rejectionOf(failing(fault, ['create']).client.create(namespaces, object))
    expect(error).toMatchObject({
      name,
      message: `Management cluster mgmt refuses it. It says: ${fault.details.said}.`,
      details: { said: fault.details.said },
      cause: fault,
    })
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('10.0.0.1')
  })

  it('says that it gives no reason where it gives none', async () => {
    const error = await rejectionOf(failing(new ObjectInvalid(ASKED)).client.create(namespaces, object))
    expect(error.message).toBe('Management cluster mgmt refuses it. It gives no reason.')
  })

  it('tells only who makes something that it is there already', async () => {
    const exists = new ObjectConflict(`${ASKED} is in conflict`, { details: { reason: 'AlreadyExists' } })
    const { client } = failing(exists)
    expect(await rejectionOf(client.create(namespaces, object))).toMatchObject({
      name: 'ObjectConflict',
      message: 'Management cluster mgmt has it already.',
    })
    expect(await rejectionOf(client.create(namespaces, object, { dryRun: true }))).toMatchObject(UNREACHABLE)
  })

  const UNREACHABLE = { name: 'ManagementUnreachable', retryable: true }

  it.each([
    new ObjectConflict(`${ASKED} is in conflict with what is there (409): the object has been modified.`),
    new AnswerTooLarge(`${ASKED}: more than 16 MiB`),
  ])('waits for what may pass: %o', async (fault) => {
    for (const error of [
      await rejectionOf(failing(fault).client.apply(namespaces, object)),
      await rejectionOf(failing(fault).client.create(namespaces, object)),
      await rejectionOf(failing(fault).client.version()),
    ]) {
      expect(error).toMatchObject({ ...UNREACHABLE, cause: fault })
      expect(error.message).not.toContain('10.0.0.1')
    }
  })

  const templates = { group: 'infra.x-k8s.io', version: 'v1', plural: 'templates', namespace: 'a' }

  it.each(['create', 'apply'] as const)(
    'takes a 404 of %s for a kind that is not served for a while',
    async (method) => {
      const fault = new ObjectNotFound(`${ASKED} was answered: not found (404)`, { details: { missing: '' } })
      expect(await rejectionOf(failing(fault).client[method](templates, object))).toMatchObject({
        ...UNREACHABLE,
        message: expect.stringMatching(
          /^Management cluster mgmt does not serve templates of infra\.x-k8s\.io\/v1 at the moment/,
        ),
        cause: fault,
      })
    },
  )

  it('names the namespace that something has no place in', async () => {
    const fault = new ObjectNotFound(ASKED, { details: { missing: 'namespaces' } })
    expect(await rejectionOf(failing(fault).client.create(templates, object))).toMatchObject({
      ...UNREACHABLE,
      message: expect.stringMatching(/^Management cluster mgmt has no namespace a at the moment/),
    })
  })

  it('waits where what is patched has gone meanwhile', async () => {
    const fault = new ObjectNotFound(ASKED, { details: { missing: 'templates' } })
    expect(await rejectionOf(failing(fault).client.patch(templates, 'x', {}))).toMatchObject({
      ...UNREACHABLE,
      message: expect.stringContaining("can't be worked with at the moment (ObjectNotFound)"),
    })
  })

  it('leaves it to who lists whether a kind is needed', async () => {
    const fault = new ObjectNotFound(ASKED, { details: { missing: '' } })
    const error = await rejectionOf(failing(fault).client.list(templates))
    expect(error).toMatchObject({ name: 'ObjectNotFound', cause: fault })
    expect(error.message).not.toContain('10.0.0.1')
  })

  it('takes a 403 for a fault of the way only where rights are missing', async () => {
    const denied = new PermissionDenied('forbidden')
    const missing = failing(denied, ['patch'])
    expect(await rejectionOf(missing.client.apply(secrets('a'), object))).toBeInstanceOf(ManagementUnreachable)
    expect(missing.asked).toEqual(['patch secrets', 'create secrets'])
    const refused = failing(denied, ['patch', 'create'])
    expect(await rejectionOf(refused.client.apply(secrets('a'), object))).toMatchObject({
      name: 'PermissionDenied',
      cause: denied,
    })
  })

  it('hands on what works', async () => {
    const client = { get: async () => object, close: () => 'closed' } as unknown as KubernetesClient
    const managed = managementClient(client, 'mgmt')
    expect(await managed.get(namespaces, 'x')).toBe(object)
    expect(managed.close()).toBe('closed')
  })
})
