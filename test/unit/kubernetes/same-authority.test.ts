import { rootCertificates } from 'node:tls'
import { beforeAll, describe, expect, it } from 'vitest'
import { authorityProof } from '../../../functions/kubernetes/same-authority.ts'
import { makeCa, type TestCa } from '../../support/kubernetes/tls.ts'

let [known, other]: TestCa[] = []
let signed = ''
beforeAll(async () => {
  ;[known, other] = await Promise.all([makeCa('known'), makeCa('other')])
  signed = (await known?.signCa('next')) ?? ''
})

const at = (caPem: string | null | undefined, more: object = {}) => ({
  server: 'https://10.0.0.1:6443',
  caPem: caPem ?? null,
  tlsServerName: null,
  tlsVerify: true,
  ...more,
})
const pem = (ca: TestCa | undefined): string => ca?.certificatePem ?? ''

const isSameAuthority = (...ends: Parameters<typeof authorityProof>): boolean => authorityProof(...ends) === 'same'

describe('authorityProof', () => {
  it("takes the same CA, however its text is wrapped; at another name it may be a company's, and is no proof by itself", () => {
    const text = `# ours\n${pem(known).replaceAll('\n', '\r\n')}`
    expect(authorityProof(at(pem(known)), at(text))).toBe('same')
    expect(authorityProof(at(pem(known)), at(text, { server: 'https://other.example.com' }))).toBe('elsewhere')
    expect(authorityProof(at(pem(known)), at(signed, { server: 'https://other.example.com' }))).toBe('elsewhere')
  })

  it('takes a CA that the known one signed, alone and beside it', () => {
    expect(isSameAuthority(at(pem(known)), at(signed))).toBe(true)
    expect(isSameAuthority(at(pem(known)), at(pem(known) + signed))).toBe(true)
  })

  it('refuses a bundle with one certificate that stands apart, and another CA of the same name', async () => {
    expect(isSameAuthority(at(pem(known)), at(pem(known) + pem(other)))).toBe(false)
    expect(isSameAuthority(at(pem(known)), at(pem(await makeCa('known'))))).toBe(false)
  })

  it('refuses a certificate of a server that the CA signed: it is no CA', async () => {
    const { certificatePem } = (await known?.issue({ dns: ['api'] })) ?? { certificatePem: '' }
    expect(isSameAuthority(at(pem(known)), at(certificatePem))).toBe(false)
  })

  it('refuses what can not be read, and nothing', () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    expect(isSameAuthority(at(pem(known)), at(broken))).toBe(false)
    expect(isSameAuthority(at(''), at(''))).toBe(false)
  })

  it('with CAs that everybody trusts takes the same name only', () => {
    const named = (server: string, tlsServerName: string | null = null) => at(null, { server, tlsServerName })
    expect(isSameAuthority(named('https://a.example.com:6443'), named('https://a.example.com'))).toBe(true)
    expect(isSameAuthority(named('https://a.example.com'), named('https://b.example.com'))).toBe(false)
    expect(isSameAuthority(named('https://a.example.com'), named('https://b.example.com', 'a.example.com'))).toBe(true)
    expect(isSameAuthority(at(pem(known)), named('https://10.0.0.1:6443'))).toBe(false)
  })

  it('takes the same name only with such a CA that the kubeconfig names itself, alone or beside another', () => {
    const named = (caPem: string, server: string) => at(caPem, { server })
    const [root = ''] = rootCertificates
    for (const bundle of [root, `${pem(known)}${root}`]) {
      expect(isSameAuthority(named(bundle, 'https://a.example.com'), named(bundle, 'https://b.example.com'))).toBe(
        false,
      )
      expect(isSameAuthority(named(bundle, 'https://a.example.com'), named(bundle, 'https://a.example.com:9'))).toBe(
        true,
      )
    }
  })

  it('proves nothing where TLS is not verified', () => {
    const open = at(pem(known), { tlsVerify: false })
    expect([isSameAuthority(open, at(pem(known))), isSameAuthority(at(pem(known)), open)]).toEqual([false, false])
  })
})
