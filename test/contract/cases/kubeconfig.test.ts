import { createPrivateKey, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { localPolicy } from '../../../functions/kubernetes/address-guard.ts'
import { KubeconfigRejected } from '../../../functions/kubernetes/kubeconfig/fields.ts'
import {
  type KubeconfigIntake,
  type KubeconfigOptions,
  parseKubeconfig,
} from '../../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { type Case, caseBytes, casesOf, MARKERS } from '../../support/kubernetes/cases.ts'
import { everythingOf, thrownBy } from '../../support/kubernetes/leaks.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const cases = casesOf('kubeconfig')

/** Documentation addresses are barred by every policy, so `parse` cases run with the guard off, as their README says. */
const optionsOf = ({ stage, expect_details: { request_context } }: Case): KubeconfigOptions => ({
  now: NOW,
  ...(stage === 'policy' ? { policy: localPolicy } : {}),
  ...(typeof request_context === 'string' ? { context: request_context } : {}),
})

const parse = (each: Case): KubeconfigIntake => parseKubeconfig(caseBytes(each.file).toString('utf8'), optionsOf(each))

const certificates = (pem: string | null): X509Certificate[] =>
  (pem?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (block) => new X509Certificate(block),
  )

const certificateOf = ({ credential }: KubeconfigIntake): { chain: X509Certificate[]; key: string } =>
  credential.kind === 'client-certificate'
    ? { chain: certificates(credential.certificatePem), key: credential.keyPem.reveal() }
    : { chain: [], key: '' }

const subjectField = (intake: KubeconfigIntake, name: string): string | undefined =>
  certificateOf(intake)
    .chain[0]?.subject.split('\n')
    .find((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1)

const keyType = (intake: KubeconfigIntake): string => {
  const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(certificateOf(intake).key)
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1'
    ? 'EC P-256'
    : String(asymmetricKeyType)
}

const hostOf = ({ endpoint }: KubeconfigIntake): string => new URL(endpoint.server).hostname.replace(/^\[|\]$/g, '')

/** How each field of `expect_details` shows in an intake. */
const READERS: Record<string, (intake: KubeconfigIntake) => unknown> = {
  context: ({ context }) => context,
  cluster_name: ({ clusterName }) => clusterName,
  user_name: ({ userName }) => userName,
  server_url: ({ endpoint }) => endpoint.server,
  server_host: hostOf,
  server_port: ({ endpoint }) => Number(new URL(endpoint.server).port || 443),
  base_path: ({ endpoint }) => new URL(endpoint.server).pathname.replace(/\/$/, ''),
  ca_present: ({ endpoint }) => certificates(endpoint.caPem).length > 0,
  ca_count: ({ endpoint }) => certificates(endpoint.caPem).length,
  tls_verify: ({ endpoint }) => endpoint.tlsVerify,
  tls_server_name: ({ endpoint }) => endpoint.tlsServerName,
  auth_kind: ({ credential }) => (credential.kind === 'token' ? 'token' : 'client_certificate'),
  client_cert_subject_cn: (intake) => subjectField(intake, 'CN'),
  client_cert_org: (intake) => subjectField(intake, 'O'),
  chain_length: (intake) => certificateOf(intake).chain.length,
  key_type: keyType,
  key_format: (intake) => (certificateOf(intake).key.startsWith('-----BEGIN EC PRIVATE KEY') ? 'SEC1' : 'other'),
}

/** Told to people, or checked by a test of its own below. */
const NOT_READ = ['note', 'must_not', 'alternative', 'must_store_only', 'request_context']
/** KC-09 says that either credential may win. Ours is the token, so nothing of the certificate is there to check. */
const OF_THE_CERTIFICATE = ['client_cert_subject_cn', 'client_cert_org', 'key_type', 'key_format']

describe.each(cases.filter(({ expect: expected }) => expected === 'accept'))('$file: $why', (each) => {
  const intake = parse(each)
  const isTokenBesideCertificate = Array.isArray(each.expect_details.auth_kind)
  const skipped = [...NOT_READ, ...(isTokenBesideCertificate ? OF_THE_CERTIFICATE : [])]

  it.each(Object.entries(each.expect_details).filter(([field]) => !skipped.includes(field)))(
    'has %s',
    (field, expected) => {
      const read = READERS[field]
      if (read === undefined) throw new Error(`no reader for ${field}`)
      if (field === 'auth_kind' && Array.isArray(expected)) expect(expected).toContain(read(intake))
      else expect(read(intake)).toEqual(expected)
    },
  )

  it('shows no secret', () => {
    const shown = JSON.stringify(intake)
    for (const marker of MARKERS) expect(shown).not.toContain(marker)
  })
})

describe.each(cases.filter(({ expect: expected }) => expected === 'reject'))('$file: $why', (each) => {
  const started = performance.now()
  const error = thrownBy(() => parse(each))
  const milliseconds = performance.now() - started
  const details = each.expect_details

  it('is refused with its class', () => {
    expect(error).toBeInstanceOf(KubeconfigRejected)
    expect((error as KubeconfigRejected).kind).toBe('invalid')
    expect((error as KubeconfigRejected).details.class).toBe(details.error_class)
  })

  it('names the fields', () => {
    const { field, fields = [] } = (error as KubeconfigRejected).details as { field?: string; fields?: string[] }
    if (typeof details.field === 'string') expect(field).toBe(details.field)
    if (!Array.isArray(details.field)) return
    expect(fields).toHaveLength(details.field.length)
    // UR-09 gives the last part of the path only.
    for (const [index, name] of details.field.entries()) expect(fields[index]?.endsWith(name)).toBe(true)
  })

  it('says what to do', () => {
    const { message } = error as Error
    expect(message).toMatch(/^.+\.$/)
    if (typeof details.message_hint === 'string') expect(message).toContain(HINTS[each.id] ?? details.message_hint)
  })

  it('gives the facts that the case asks for', () => {
    const facts = (error as KubeconfigRejected).details
    if (details.not_after !== undefined) expect(facts.notAfter).toBe(details.not_after)
    if (details.auth_kind !== undefined) expect(facts.authKind).toBe(details.auth_kind)
    if (details.provider !== undefined) expect(facts.provider).toBe(details.provider)
  })

  it('is decided within a second', () => {
    expect(milliseconds).toBeLessThan(1_000)
  })

  it('shows no secret', () => {
    const shown = everythingOf(error)
    expect((error as Error).cause).toBeUndefined()
    for (const marker of MARKERS) expect(shown).not.toContain(marker)
  })
})

/** Hints that the index describes rather than quotes. */
const HINTS: Record<string, string> = { 'KC-07': 'kubectl config view --flatten --minify --raw' }

describe('the folder', () => {
  it('has kubeconfigs of both kinds', () => {
    expect(cases.length).toBeGreaterThanOrEqual(33)
    expect(cases.every(({ expect: expected }) => expected !== 'mixed')).toBe(true)
  })
})

describe('what the cases forbid', () => {
  const named = (id: string): Case => {
    const found = cases.find((each) => each.id === id)
    if (found === undefined) throw new Error(`no case ${id}`)
    return found
  }

  it('KC-02 keeps nothing of the entry that is not chosen', () => {
    expect(JSON.stringify(parse(named('KC-02')))).not.toMatch(/laptop|never-run-this|unsafe/)
  })

  it('KC-02 checks again when another context is chosen', () => {
    const text = caseBytes(named('KC-02').file).toString('utf8')
    const error = thrownBy(() => parseKubeconfig(text, { now: NOW, context: 'unsafe' }))
    expect((error as KubeconfigRejected).details).toMatchObject({
      class: 'unsupported_auth',
      field: 'users[0].user.exec',
    })
  })

  it('KC-09 does not keep the certificate beside the token', () => {
    const { credential } = parse(named('KC-09'))
    expect(Object.keys(credential)).toEqual(['kind', 'token'])
  })

  it('KC-19 does not change Object.prototype', () => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    parse(named('KC-19'))
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
  })

  it('UR-05 is refused for its address even when unverified TLS is allowed', () => {
    const text = caseBytes(named('UR-05').file).toString('utf8')
    const error = thrownBy(() => parseKubeconfig(text, { now: NOW, policy: localPolicy, allowInsecure: true }))
    expect((error as KubeconfigRejected).details.class).toBe('forbidden_address')
  })

  it('UR-10 is taken with the opt-in, and says so', () => {
    const text = caseBytes(named('UR-10').file).toString('utf8')
    const { endpoint, warnings } = parseKubeconfig(text, { now: NOW, allowInsecure: true })
    expect(endpoint.tlsVerify).toBe(false)
    expect(warnings.join()).toContain('not verified')
  })

  it('YM-01b is refused however its bytes were read, and taken when they were decoded', () => {
    const bytes = caseBytes(named('YM-01b').file)
    const error = thrownBy(() => parseKubeconfig(bytes.toString('latin1'), { now: NOW }))
    expect((error as KubeconfigRejected).details.class).toBe('unsupported_encoding')
    expect(parseKubeconfig(bytes.toString('utf16le'), { now: NOW }).endpoint.server).toMatch(/^https:/)
  })

  it('YM-06 is taken as an object too', () => {
    const bytes = caseBytes(named('YM-06').file)
    expect(parseKubeconfig(JSON.parse(bytes.toString('utf8')), { now: NOW }).context).toBe('demo')
  })

  it('YM-04 needs little memory', () => {
    const text = caseBytes(named('YM-04').file).toString('utf8')
    const before = process.memoryUsage().heapUsed
    thrownBy(() => parseKubeconfig(text, { now: NOW }))
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024)
  })
})
