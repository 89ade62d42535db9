import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { baseUrlOf, pathBelow } from '../../../functions/api/base-url.ts'

const CONFIGURED = 'https://configured.example.com/magnum'
const trusting = { baseUrl: CONFIGURED, trustForwarded: true }

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/)
const port = fc.integer({ min: 1, max: 65_535 })
const host = fc
  .oneof(
    fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
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
