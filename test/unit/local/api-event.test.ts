import { describe, expect, it } from 'vitest'
import { type ReceivedRequest, toApiEvent } from '../../../local/http/api-event.ts'

const FACTS = { requestId: 'r-1', receivedAt: new Date('2026-11-27T23:44:59.123Z'), domainName: '127.0.0.1:9511' }

const convert = (request: Partial<ReceivedRequest>) =>
  toApiEvent(
    {
      method: 'GET',
      url: '/v1/clusters',
      rawHeaders: [],
      body: Buffer.alloc(0),
      sourceIp: '127.0.0.1',
      httpVersion: '1.1',
      ...request,
    },
    FACTS,
    { principal: 'somebody' },
  )

describe('toApiEvent', () => {
  it('makes the event of an HTTP API with stage $default and payload format 2.0', () => {
    const event = convert({
      method: 'POST',
      url: '/v1/clusters?limit=2',
      rawHeaders: ['Host', '127.0.0.1:9511', 'User-Agent', 'curl', 'Content-Type', 'application/json'],
      body: Buffer.from('{"name":"ü"}'),
    })
    expect(event).toEqual({
      version: '2.0',
      routeKey: '$default',
      rawPath: '/v1/clusters',
      rawQueryString: 'limit=2',
      headers: { host: '127.0.0.1:9511', 'user-agent': 'curl', 'content-type': 'application/json' },
      queryStringParameters: { limit: '2' },
      requestContext: {
        accountId: '000000000000',
        apiId: 'local',
        authorizer: { lambda: { principal: 'somebody' } },
        domainName: '127.0.0.1:9511',
        domainPrefix: '127',
        http: { method: 'POST', path: '/v1/clusters', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'curl' },
        requestId: 'r-1',
        routeKey: '$default',
        stage: '$default',
        time: '27/Nov/2026:23:44:59 +0000',
        timeEpoch: FACTS.receivedAt.getTime(),
      },
      body: '{"name":"ü"}',
      isBase64Encoded: false,
    })
  })

  it.each([
    ['/v1/clusters/', '/v1/clusters/', ''],
    ['/', '/', ''],
    ['/?a=1', '/', 'a=1'],
    ['/v1/clusters/my%20name%2Fx?q=%20', '/v1/clusters/my name/x', 'q=%20'],
    ['/v1/clusters?', '/v1/clusters', ''],
    ['http://example.com/v1/x?y=1', '/v1/x', 'y=1'],
    ['http://example.com', '/', ''],
    ['*', '*', ''],
  ])('reads the target %s', (url, rawPath, rawQueryString) => {
    expect(convert({ url })).toMatchObject({ rawPath, rawQueryString, requestContext: { http: { path: rawPath } } })
  })

  it('refuses a broken escape in the path', () => {
    expect(() => convert({ url: '/v1/clusters/%zz' })).toThrow(expect.objectContaining({ name: 'PathMalformed' }))
  })

  it.each([
    ['a=1&a=2&b=', { a: '1,2', b: '' }],
    ['a=%C3%BC+x', { a: 'ü x' }],
    ['__proto__=1', { ['__proto__']: '1' }],
    ['', undefined],
  ])('reads the query %s', (query, parameters) => {
    const given = convert({ url: `/?${query}` }).queryStringParameters
    expect(given === undefined ? undefined : Object.entries(given)).toEqual(parameters && Object.entries(parameters))
  })

  it('joins repeated headers with a comma, in lower case, and keeps cookies apart', () => {
    const event = convert({ rawHeaders: ['X-One', 'a', 'x-one', 'b', 'Cookie', 'c=1; d=2', 'cookie', 'e=3'] })
    expect(event.headers).toEqual({ 'x-one': 'a,b' })
    expect(event.cookies).toEqual(['c=1', 'd=2', 'e=3'])
  })

  it('keeps a header that is called like a property of every object', () => {
    const { headers } = convert({ rawHeaders: ['constructor', 'x', '__proto__', 'y'] })
    expect(Object.entries(headers)).toEqual([
      ['constructor', 'x'],
      ['__proto__', 'y'],
    ])
  })

  it.each([
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['Application/JSON', true],
    ['text/yaml', true],
    ['application/xml', true],
    ['application/json-patch+json', false],
    ['application/x-www-form-urlencoded', false],
    ['application/octet-stream', false],
    [undefined, false],
  ])('hands a body of type %s on as text: %s', (type, text) => {
    const event = convert({ rawHeaders: type ? ['Content-Type', type] : [], body: Buffer.from('[]') })
    expect(event.isBase64Encoded).toBe(!text)
    expect(event.body).toBe(text ? '[]' : Buffer.from('[]').toString('base64'))
  })

  it('loses no byte of a text body that is not UTF-8', () => {
    const bytes = Buffer.from([0x22, 0xff, 0x22])
    const event = convert({ rawHeaders: ['content-type', 'application/json'], body: bytes })
    expect(Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')).toEqual(bytes)
  })

  it('has no body when there is none', () => {
    expect(convert({})).not.toHaveProperty('body')
  })
})
