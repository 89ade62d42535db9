import { inspect } from 'node:util'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { clusterAccess } from '../../functions/core/access/cluster-access.ts'
import { driverSecretKey } from '../../functions/core/access/credentials.ts'
import { federationContext } from '../../functions/core/federation/federation-context.ts'
import type { Target } from '../../functions/core/operation/subjects.ts'
import { Secret } from '../../functions/core/values/secret.ts'
import { storeFederationResult } from '../../functions/flows/entities/federation-results.ts'
import { CredentialUnreadable, StoreBusy } from '../../functions/store/errors.ts'
import { changeFederation, createFederation, key, registered } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, federationOf, settled } from '../support/flows/look.ts'

/** What a driver keeps under seal: beside the federation, in the same commits, and gone with it. */

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const MARKER = 'the-key-of-the-authority'
const CERTIFICATES = { 'memory-certificate-seconds': '3600' }

const documentOf = async (id: string, name = 'certificates') =>
  (await lab.ports.stores.credentials.get(driverSecretKey(key(id) as never, name)))?.reveal()

/** A federation whose create was accepted and not launched, with the target of its steps. */
const begun = async (): Promise<{ id: string; target: Target }> => {
  const { id } = await createFederation(lab, await registered(lab, 'host'), { launched: false })
  const { operation } = await federationOf(lab, id)
  return { id, target: { projectId: 'blue', entityId: id, operationId: operation?.id ?? '', attempt: 1 } }
}
const store = (target: Target, result: Omit<Parameters<typeof storeFederationResult>[2], 'done'>) =>
  storeFederationResult({ ...lab.ports, pollMs: 0 }, target, { done: true, ...result })

describe('a result of a phase', () => {
  it('is stored in one commit: documents, notes and the date of renewal', async () => {
    const { id, target } = await begun()
    const renewAfter = '2027-01-01T00:00:00.000Z'
    await store(target, { sealed: { pki: new Secret(MARKER) }, state: { serial: 1 }, renewAfter })
    expect(await federationOf(lab, id)).toMatchObject({
      driverSecrets: ['pki'],
      driverState: { serial: 1 },
      renewAfter,
      revision: 2,
    })
    expect(await documentOf(id, 'pki')).toBe(MARKER)
  })

  it('leaves nothing behind when the commit is refused', async () => {
    const { id, target } = await begun()
    const { stores } = lab.ports
    const { commit } = stores
    stores.commit = () => Promise.reject(new StoreBusy('The database is busy.'))
    const stored = store(target, { sealed: { pki: new Secret(MARKER) }, state: { serial: 1 } })
    await expect(stored)
      .rejects.toMatchObject({ name: 'StoreBusy' })
      .finally(() => {
        stores.commit = commit
      })
    expect(await federationOf(lab, id)).toMatchObject({ driverSecrets: [], driverState: {}, revision: 1 })
    expect(await documentOf(id, 'pki')).toBeUndefined()
  })

  it('of an operation that was superseded seals nothing', async () => {
    const { id, target } = await begun()
    await store(target, { sealed: { pki: new Secret('first') } })
    const stale = store({ ...target, attempt: 2 }, { sealed: { pki: new Secret('second') } })
    await expect(stale).rejects.toMatchObject({ name: 'OperationSuperseded' })
    expect(await documentOf(id, 'pki')).toBe('first')
  })

  it('replaces and removes documents, keeps the others, and writes nothing for what is not there', async () => {
    const { id, target } = await begun()
    await store(target, { sealed: { b: new Secret('1'), a: new Secret('1') } })
    await store(target, { sealed: { b: new Secret('2'), c: null } })
    expect((await federationOf(lab, id)).driverSecrets).toEqual(['a', 'b'])
    await store(target, { sealed: { a: null } })
    expect([await documentOf(id, 'a'), await documentOf(id, 'b')]).toEqual([undefined, '2'])
    const { revision, driverSecrets } = await federationOf(lab, id)
    await store(target, { sealed: { a: null }, renewAfter: null })
    expect([driverSecrets, (await federationOf(lab, id)).revision]).toEqual([['b'], revision])
  })

  it('is in no item in clear', async () => {
    const { target } = await begun()
    await store(target, { sealed: { pki: new Secret(MARKER) } })
    const { client, tableName } = lab.ports.stores.table
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }))
    expect(Items.length).toBeGreaterThan(5)
    expect(inspect(Items, { depth: 20, maxArrayLength: null, maxStringLength: null })).not.toContain(MARKER)
  })
})

describe('documents of a driver', () => {
  const created = async (properties: Record<string, string> = {}, crash?: string) => {
    if (crash !== undefined) {
      lab.world.before = ({ name }) => {
        if (name === crash) throw new Error('the process was killed')
      }
    }
    const { id } = await createFederation(lab, await registered(lab, 'host'), {
      properties: { ...CERTIFICATES, ...properties },
    })
    await settled(lab, id)
    return id
  }

  it('are there after a create, and gone after a delete', async () => {
    const id = await created()
    expect(await federationOf(lab, id)).toMatchObject({ driverSecrets: ['certificates'] })
    expect((await federationOf(lab, id)).renewAfter).not.toBeNull()
    expect(await documentOf(id)).toContain('serial')
    await ended(lab, await changeFederation(lab, id, 'delete'))
    expect([await settled(lab, id), await documentOf(id)]).toEqual(['gone', undefined])
  })

  it('are gone after a delete that was forced past the driver', async () => {
    const id = await created()
    lab.world.before = ({ name }) => {
      if (name.startsWith('ensure:remove')) throw new StoreBusy('The host does not answer.')
    }
    await ended(lab, await changeFederation(lab, id, 'delete', { force: true }))
    expect([await settled(lab, id), await documentOf(id)]).toEqual(['gone', undefined])
  })

  it('are gone after a create that was undone whole', async () => {
    const id = await created({ 'memory-fail-phase': 'verify' })
    expect(await federationOf(lab, id)).toMatchObject({
      status: 'CREATE_FAILED',
      driverSecrets: [],
      renewAfter: null,
    })
    expect(await documentOf(id)).toBeUndefined()
  })

  it('stay after a create that could not be undone whole, until the delete', async () => {
    const id = await created({ 'memory-fail-phase': 'verify' }, 'undo:control-plane')
    expect(await federationOf(lab, id)).toMatchObject({ status: 'CREATE_FAILED', driverSecrets: ['certificates'] })
    expect(await documentOf(id)).toContain('serial')
    lab.reset()
    await ended(lab, await changeFederation(lab, id, 'delete'))
    expect(await documentOf(id)).toBeUndefined()
  })

  it('that can not be opened are reported with what to do, and are not taken for absent', async () => {
    const id = await created()
    const federation = await federationOf(lab, id)
    const host = await clusterOf(lab, federation.hostClusterId)
    if (host === undefined) throw new Error('there is no host')
    const { sealed } = federationContext(lab.ports, federation, clusterAccess(lab.ports, host))
    expect(await sealed('unknown')).toBeUndefined()
    const { credentials } = lab.ports.stores
    const { get } = credentials
    credentials.get = () => Promise.reject(new CredentialUnreadable('Sealed with another key.'))
    const read = sealed('certificates')
    await expect(read).rejects.toMatchObject({
      name: 'CredentialMissing',
      message: expect.stringMatching(/certificates of federation .* present key .*restore it, or delete/),
    })
    credentials.get = get
    expect((await sealed('certificates'))?.reveal()).toContain('serial')
  })
})
