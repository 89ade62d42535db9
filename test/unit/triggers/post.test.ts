import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import { localPolicy, restrictedPolicy } from '../../../functions/kubernetes/address-guard.ts'
import { post, type Sending } from '../../../functions/workers/trigger-deliveries/post.ts'
import { Receiver } from '../../support/triggers.ts'

const SECRETS = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLjSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD']
const PAYLOAD = '{"specversion":"1.0","data":{"message":"Grüße"}}'

describe('post', () => {
  let receiver: Receiver
  const local: Sending = { policy: localPolicy, resolver: async () => [{ address: '127.0.0.1', family: 4 }] }
  beforeAll(async () => {
    receiver = await new Receiver().start()
  })
  afterAll(() => receiver.close())
  beforeEach(() => {
    receiver.got.length = 0
    receiver.behave = (response) => response.writeHead(204).end()
  })

  const send = (url = receiver.url, sending = local, secrets = SECRETS.slice(0, 1)) => {
    const message = { id: 'msg-1', at: new Date(), payload: PAYLOAD, url }
    return post({ ...message, secrets: secrets.map((text) => new Secret(text)) }, sending)
  }

  it('is verified by the receivers ready-made library, with either secret while both are valid', async () => {
    expect(await send(receiver.url, local, SECRETS)).toMatchObject({ status: 204 })
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.got
    for (const secret of SECRETS) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(PAYLOAD))
    }
    const altered = body.replace('Grüße', 'grüße')
    expect(() => new Webhook(SECRETS[0]!).verify(altered, headers as Record<string, string>)).toThrow()
    expect(headers['content-type']).toBe('application/cloudevents+json; charset=utf-8')
  })

  it('does not follow a redirect, and says so', async () => {
    receiver.behave = (response) => response.writeHead(302, { location: '/elsewhere' }).end()
    expect(await send()).toMatchObject({ status: 302, message: expect.stringContaining('redirects are not followed') })
    expect(receiver.got.map(({ path }) => path)).toEqual(['/hook'])
  })

  it('reports a receiver that fails, and when it wants to be asked again', async () => {
    receiver.behave = (response) => response.writeHead(503, { 'retry-after': '120' }).end('busy')
    expect(await send()).toEqual({ status: 503, message: 'The receiver answered 503.', retryAfterSeconds: 120 })
  })

  it('reports a receiver that closes early, and one that answers without end', async () => {
    receiver.behave = (response) => response.destroy()
    expect(await send()).toMatchObject({ status: null, message: expect.stringContaining('the connection broke') })
    receiver.behave = (response) => response.writeHead(200).end(Buffer.alloc(65 * 1024))
    expect(await send()).toMatchObject({ status: null, message: expect.stringContaining('larger than 65536 bytes') })
  })

  it('connects to no address that the guard denies, whatever name it has', async () => {
    const metadata: Sending = { ...local, resolver: async () => [{ address: '169.254.169.254', family: 4 }] }
    const denied = await send('https://innocent.example.org/hook', metadata)
    expect(denied).toMatchObject({ status: null, message: expect.stringContaining('innocent.example.org') })
    const restricted: Sending = { ...local, policy: restrictedPolicy([]) }
    expect(await send('https://loop.example.org/hook', restricted)).toMatchObject({ status: null })
    expect(receiver.got).toEqual([])
  })

  it('speaks plain http to this machine only', async () => {
    const inside: Sending = { ...local, resolver: async () => [{ address: '10.0.0.7', family: 4 }] }
    const refused = await send('http://inside.example.org/hook', inside)
    expect(refused).toMatchObject({ status: null, message: expect.stringContaining('use https') })
    expect(await send(`http://localhost:${receiver.port}/hook`)).toMatchObject({ status: 204 })
  })

  it('reports a name that nobody knows', async () => {
    const unknown: Sending = {
      ...local,
      resolver: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    }
    const lost = await send('https://nowhere.example.org/', unknown)
    expect(lost.message).toBe('The name of the receiver was not found (ENOTFOUND).')
  })
})
