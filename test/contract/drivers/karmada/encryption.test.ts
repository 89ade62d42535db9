import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { withControlPlane } from '../../../../functions/drivers/federation/karmada/v1/control-plane/open.ts'
import { deployments } from '../../../../functions/drivers/federation/karmada/v1/host/plan.ts'
import { readEncryption } from '../../../../functions/drivers/federation/karmada/v1/pki/pki.schema.ts'
import type { KubernetesClient } from '../../../../functions/kubernetes/client.ts'
import { secrets } from '../../../../functions/kubernetes/resources.ts'
import { untilDone } from '../../../support/drivers/until-done.ts'
import { type KarmadaLab, openKarmadaLab } from '../../../support/karmada/lab.ts'
import { KarmadaLife } from '../../../support/karmada/life.ts'

/** A busy machine takes its time. */
const TIMEOUT_MS = 60_000
const KEY_SECRET = 'karmada-apiserver-encryption'

describe('encryption of Secrets by karmada@1', { timeout: TIMEOUT_MS }, () => {
  let lab: KarmadaLab
  beforeAll(async () => {
    lab = await openKarmadaLab()
  }, TIMEOUT_MS)
  afterAll(() => lab.close(), TIMEOUT_MS)

  const admin = () => lab.clusters[0]!.admin
  /** The providers that an API server which starts now would have, in order. */
  const providersOf = async (life: KarmadaLife): Promise<string[]> => {
    const secret = await admin().get(secrets(life.namespace), KEY_SECRET)
    const text = Buffer.from(
      (secret?.data as Record<string, string> | undefined)?.['encryption.yaml'] ?? '',
      'base64',
    ).toString()
    return parse(text).resources[0].providers.flatMap(Object.keys)
  }
  const commandOf = async (life: KarmadaLife): Promise<string> =>
    JSON.stringify((await admin().get(deployments(life.namespace), 'karmada-apiserver'))?.spec)
  const stageOf = async (life: KarmadaLife) => (await readEncryption(life.context()))?.stage

  it('is there from the beginning, by a key that updates and rotations keep', async () => {
    const life = new KarmadaLife(lab)
    await life.create()
    const made = await readEncryption(life.context())
    expect([made?.stage, await providersOf(life)]).toEqual(['complete', ['secretbox', 'identity']])
    expect(await commandOf(life)).toContain('--encryption-provider-config=')
    await life.update({ ...life.federation.properties, 'extra-sans': 'fed.example.com' })
    await life.rotateCertificates()
    life.restRotation()
    expect(await readEncryption(life.context())).toEqual(made)
    await life.delete()
    expect(life.documents.has('encryption')).toBe(false)
  })

  /** As a release without encryption left it. */
  const ofBefore = async (): Promise<KarmadaLife> => {
    const life = new KarmadaLife(lab)
    await life.createUntil('certificates')
    await life.ensure('certificates')
    life.documents.delete('encryption')
    for (const { id } of life.driver.phases.create.slice(3)) await life.ensure(id)
    expect(await commandOf(life)).not.toContain('encryption')
    return life
  }

  it('comes to a control plane of before in steps: all can read it, then they write it, then everything is rewritten', async () => {
    const life = await ofBefore()
    const { wouldMake } = await life.driver.checkUpdate!.host(life.context())
    expect(wouldMake).toEqual(['Secrets encrypted in etcd, and with it new pods of karmada-apiserver, twice'])
    const phases = life.driver.phases.update.map(({ id }) => id)
    const before = life.driver.phases.update.slice(0, phases.indexOf('encryption'))
    for (const phase of before) await untilDone(() => life.once(() => phase.ensure(life.context())))
    expect([await stageOf(life), await providersOf(life)]).toEqual(['reading', ['identity', 'secretbox']])

    const rewritten: string[] = []
    const context = life.context()
    const watched = {
      ...context,
      connect: (...given: Parameters<typeof context.connect>) => watching(context.connect(...given), rewritten),
    }
    const names = await withControlPlane(context, async (client) => {
      const metadata = { name: 'password', namespace: 'default' }
      await client.create(secrets('default'), { apiVersion: 'v1', kind: 'Secret', metadata, data: {} })
      const { items } = await client.list({ group: '', version: 'v1', plural: 'secrets' })
      return items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    })
    const phase = life.driver.phases.update[phases.indexOf('encryption')]!
    await untilDone(async () => {
      const result = await life.once(() => phase.ensure({ ...watched, sealed: life.context().sealed }))
      if (!result.done) expect(rewritten).toEqual([])
      return result
    })
    expect([await stageOf(life), await providersOf(life)]).toEqual(['complete', ['secretbox', 'identity']])
    expect(names.length).toBeGreaterThan(0)
    expect(rewritten.toSorted()).toEqual(names.toSorted())
    await life.update(life.federation.properties)
    await life.delete()
  })

  const watching = (client: KubernetesClient, rewritten: string[]): KubernetesClient =>
    new Proxy(client, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property)
        if (typeof value !== 'function') return value
        return (...given: Parameters<KubernetesClient['patch']>) => {
          const [resource, name, patch] = given
          if (property === 'patch' && resource.plural === 'secrets') {
            expect(patch).toEqual({})
            rewritten.push(`${resource.namespace}/${name}`)
          }
          return value.apply(target, given)
        }
      },
    })
})
