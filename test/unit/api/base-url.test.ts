import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { baseUrlOf, pathBelow } from '../../../functions/api/routes-app.ts'

const CONFIGURED = 'https://configured.example.com/magnum'
const trusting = { baseUrl: CONFIGURED, trustForwarded: true }

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/).filter((text) => !text.startsWith('xn--'))
/** Names whose last label begins with a digit are IPv4 addresses, or none (URL Standard 3.5). */
const lastLabel = fc.stringMatching(/^[a-wyz][a-z0-9]{0,8}$/)
const port = fc.integer({ min: 1, max: 65_535 })
const host = fc
  .oneof(
    fc.tuple(fc.array(label, { maxLength: 3 }), lastLabel).map(([labels, last]) => [...labels, last].join('.')),
    fc.ipV4(),
    fc
      .ipV6()
      .map((address) => `[${address}]`)
      .filter((address) => !address.includes('.')),
  )
  .chain((name) =>
    fc.option(port, { nil: undefined }).map((number) => (number === undefined ? name : `${name}:${number}`)),
  )
const prefix = fc.array(label, { minLength: 1, maxLength: 3 }).map((segments) => `/${segments.join('/')}`)
const scheme = fc.constantFrom('http', 'https')

const anything = fc.option(fc.oneof(fc.string({ unit: 'binary' }), host, fc.webUrl(), fc.constantFrom('', ',', '/')), {
  nil: undefined,
})

describe('baseUrlOf', () => {
  it('is what a trusted proxy forwards: scheme, host and mount path', () => {
    fc.assert(
      fc.property(scheme, host, prefix, (proto, name, path) => {
        const headers = { 'x-forwarded-proto': proto, 'x-forwarded-host': name, 'x-forwarded-prefix': `${path}/` }
        expect(baseUrlOf(trusting, headers)).toBe(`${proto}://${name}${path}`)
      }),
    )
  })

  it('takes the first of several proxies, and the configured mount path when none forwards one', () => {
    fc.assert(
      fc.property(host, host, (first, second) => {
        const headers = { 'x-forwarded-proto': 'HTTP, https', 'x-forwarded-host': `${first} , ${second}` }
        expect(baseUrlOf(trusting, headers)).toBe(`http://${first}/magnum`)
      }),
    )
  })

  it('is the configured one for callers that nobody trusts', () => {
    fc.assert(
      fc.property(anything, anything, anything, (proto, name, path) => {
        const headers = { 'x-forwarded-proto': proto, 'x-forwarded-host': name, 'x-forwarded-prefix': path }
        expect(baseUrlOf({ ...trusting, trustForwarded: false }, headers)).toBe(CONFIGURED)
      }),
    )
  })

  const withOne = (name: string, value: string, settings = trusting) =>
    baseUrlOf(settings, { [`x-forwarded-${name}`]: value })

  it('replaces one part when a proxy forwards that alone', () => {
    fc.assert(
      fc.property(scheme, host, prefix, (proto, name, path) => {
        expect(withOne('proto', proto)).toBe(`${proto}://configured.example.com/magnum`)
        expect(withOne('host', name)).toBe(`https://${name}/magnum`)
        expect(withOne('prefix', path)).toBe(`https://configured.example.com${path}`)
      }),
    )
    const own = { baseUrl: 'http://127.0.0.1:9511', trustForwarded: true }
    expect(withOne('proto', 'https', own)).toBe('https://127.0.0.1:9511')
    expect(withOne('prefix', '/magnum', own)).toBe('http://127.0.0.1:9511/magnum')
  })

  it.each([
    ['host', 'h:99999'],
    ['host', '1.2.3.4.5'],
    ['host', '300.1.1.1'],
    ['host', '[1::2::3]'],
    ['host', '0x'.repeat(9)],
    ['host', '...'],
    ['host', 'xn--a'],
    ['host', `${'a'.repeat(70_000)}.${'b'.repeat(70_000)}`],
    ['prefix', '/..'],
    ['prefix', '/a/../b'],
    ['prefix', '/./a'],
    ['prefix', 'a'],
    ['proto', 'ftp'],
  ])('passes over the %s %j, or takes it where it is one', (name, value) => {
    const base = withOne(name, value)
    expect(URL.canParse(`${base}/v1/clusters`)).toBe(true)
    expect(base === CONFIGURED || base.includes(value)).toBe(true)
  })

  it.each([
    ['host', 'h:99999'],
    ['host', '1.2.3.4.5'],
    ['host', '300.1.1.1'],
    ['prefix', '/a/../b'],
  ])('passes over the %s %j', (name, value) => {
    expect(withOne(name, value)).toBe(CONFIGURED)
  })

  const hostlike = fc.stringMatching(/^[0-9a-zA-Z.:[\]-]{0,20}$/)

  it('never throws, whatever is forwarded, and neither does what reads the path by it', () => {
    fc.assert(
      fc.property(anything, fc.oneof(anything, hostlike), anything, fc.string(), (proto, name, path, rawPath) => {
        const headers = { 'x-forwarded-proto': proto, 'x-forwarded-host': name, 'x-forwarded-prefix': path }
        pathBelow(baseUrlOf(trusting, headers), rawPath)
      }),
      { numRuns: 2000 },
    )
  })

  it('is an address without query, fragment, user or space, whatever is forwarded', () => {
    fc.assert(
      fc.property(anything, anything, anything, (proto, name, path) => {
        const headers = { 'x-forwarded-proto': proto, 'x-forwarded-host': name, 'x-forwarded-prefix': path }
        expect(baseUrlOf(trusting, headers)).toMatch(/^https?:\/\/[a-zA-Z0-9.[\]:-]+(?:\/[\w.~-]+)*$/)
      }),
      { numRuns: 500 },
    )
  })

  it('has no slash at the end, however it is configured', () => {
    fc.assert(
      fc.property(fc.nat({ max: 3 }), (slashes) => {
        const baseUrl = CONFIGURED + '/'.repeat(slashes)
        expect(baseUrlOf({ baseUrl, trustForwarded: false }, {})).toBe(CONFIGURED)
      }),
    )
  })
})

describe('pathBelow', () => {
  it('takes the mount path away where it is, and nothing else', () => {
    fc.assert(
      fc.property(prefix, prefix, (mount, path) => {
        fc.pre(!mount.startsWith('/v1'))
        const baseUrl = `https://cloud.example.com${mount}`
        expect(pathBelow(baseUrl, `${mount}${path}`)).toBe(path)
        expect(pathBelow(baseUrl, mount)).toBe('')
        expect(pathBelow(baseUrl, `/v1${path}`)).toBe(`/v1${path}`)
        expect(pathBelow('https://cloud.example.com', path)).toBe(path)
      }),
    )
  })

  it('cuts no segment in two', () => {
    expect(pathBelow('https://cloud.example.com/magnum', '/magnums/v1')).toBe('/magnums/v1')
  })
})
