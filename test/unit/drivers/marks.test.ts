import { describe, expect, it } from 'vitest'
import { marked, markFaults, marksOf } from '../../../functions/drivers/contract/object-marks.ts'
import { rehearsalFindings } from '../../../functions/drivers/support/rehearse.ts'
import type { KubernetesClient, KubernetesObject } from '../../../functions/kubernetes/client.ts'
import {
  ApiUnavailable,
  ObjectConflict,
  ObjectInvalid,
  ObjectNotFound,
  PermissionDenied,
} from '../../../functions/kubernetes/errors.ts'
import { namespaces } from '../../../functions/kubernetes/resources.ts'

const NAMESPACE: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'fedplane-1', labels: { 'fedplane.io/federation': 'f1' } },
}

describe('object-labels and object-annotations', () => {
  it('are put on an object beside its own, which count', () => {
    const marks = marksOf({
      'object-labels': 'owner=platform, example.org/cost-center=42,',
      'object-annotations': 'note=a=b',
    })
    expect(marked(NAMESPACE, marks).metadata).toEqual({
      name: 'fedplane-1',
      labels: { owner: 'platform', 'example.org/cost-center': '42', 'fedplane.io/federation': 'f1' },
      annotations: { note: 'a=b' },
    })
    const own = { ...marks, labels: { 'fedplane.io/federation': 'other' } }
    expect(marked(NAMESPACE, own).metadata.labels).toEqual({ 'fedplane.io/federation': 'f1' })
    expect(marked(NAMESPACE, marksOf({}))).toBe(NAMESPACE)
    expect(marked(NAMESPACE, undefined)).toBe(NAMESPACE)
  })

  it.each([
    [{ 'object-labels': 'owner' }, 'has no value'],
    [{ 'object-labels': 'Owner Name=x' }, '"Owner Name"'],
    [{ 'object-labels': 'owner=a b' }, 'its value'],
    [{ 'object-labels': 'fedplane.io/federation=x' }, 'is reserved'],
    [{ 'object-labels': 'app.kubernetes.io/managed-by=x' }, 'is reserved'],
    [{ 'object-annotations': '=x' }, '""'],
  ])('are refused: %j', (properties, why) => {
    expect(markFaults(properties)).toEqual([expect.stringContaining(why)])
  })

  it('are fine when they are empty, and an annotation may be any text', () => {
    expect(markFaults({ 'object-labels': '', 'object-annotations': 'note=Ring the bell!' })).toEqual([])
  })
})

describe('a rehearsal', () => {
  const rehearse = (error?: Error) => {
    const asked: unknown[] = []
    const create: KubernetesClient['create'] = async (_, object, options) => {
      asked.push([object.metadata.labels, options])
      if (error !== undefined) throw error
      return object
    }
    const site = {
      client: { create } as unknown as KubernetesClient,
      where: 'member',
      federationId: 'f1',
      marks: marksOf({ 'object-labels': 'owner=platform' }),
    } as const
    return { asked, findings: rehearsalFindings(site, [{ resource: namespaces, object: NAMESPACE }]) }
  }
  const said = (text: string) => ({ details: { said: text } })

  it('sends the object as it would be made, with dryRun', async () => {
    const { asked, findings } = rehearse()
    expect(await findings).toEqual([])
    expect(asked).toEqual([[{ owner: 'platform', 'fedplane.io/federation': 'f1' }, { dryRun: true }]])
  })

  it.each([
    new PermissionDenied('x', said('admission webhook "x" denied the request: no')),
    new PermissionDenied('x', said('exceeded quota: small')),
    new ObjectInvalid('x', said('ValidatingAdmissionPolicy "owner" denied request: label needed')),
  ])('tells in the words of who refuses: %s', async (error) => {
    const [finding] = await rehearse(error).findings
    expect(finding).toMatchObject({ severity: 'error', reason: 'AdmissionRefused' })
    expect(finding?.message).toContain(`Namespace fedplane-1 in the member would be refused: ${error.details.said}`)
  })

  it.each([
    new ObjectConflict('exists'),
    new ObjectNotFound('its namespace is not there'),
    new PermissionDenied('x', said('namespaces is forbidden: User "a" cannot create resource "namespaces"')),
    new ObjectInvalid('x', said('admission webhook "x" does not support dry run')),
  ])('says nothing of what is told elsewhere, or can not be asked: %s', async (error) => {
    expect(await rehearse(error).findings).toEqual([])
  })

  it('lets a server that does not answer be the finding of others', async () => {
    await expect(rehearse(new ApiUnavailable('503')).findings).rejects.toThrow('503')
  })
})
