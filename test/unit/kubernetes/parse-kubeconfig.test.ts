import { beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { JsonObject } from '../../../functions/core/values/json.ts'
import { localPolicy, restrictedPolicy } from '../../../functions/kubernetes/address-guard.ts'
import type { KubeconfigRejected } from '../../../functions/kubernetes/kubeconfig/fields.ts'
import { type KubeconfigOptions, parseKubeconfig } from '../../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { kubeconfigWith } from '../../support/kubernetes/kubeconfig.ts'
import { everythingOf, thrownBy } from '../../support/kubernetes/leaks.ts'
import { type Issued, makeCa, type TestCa } from '../../support/kubernetes/tls.ts'

const NOW = new Date()
const SERVER = 'https://api.example.com:6443'
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const parse = (input: string | JsonObject, options: Partial<KubeconfigOptions> = {}) =>
  parseKubeconfig(input, { now: NOW, ...options })

const rejection = (input: string | JsonObject, options: Partial<KubeconfigOptions> = {}) => {
  const error = thrownBy(() => parse(input, options)) as KubeconfigRejected
  expect(error.name).toBe('KubeconfigRejected')
  expect(everythingOf(error)).not.toMatch(/example-token-not-a-secret|example-pw|PRIVATE KEY/)
  return { kind: error.kind, class: error.details.class, field: error.details.field, message: error.message }
}

const tokenOf = (input: string | JsonObject): string | undefined => {
  const { credential } = parse(input)
  return credential.kind === 'token' ? credential.token.reveal() : undefined
}

const jwt = (claims: object): string =>
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`

let ca: TestCa
let client: Issued
beforeAll(async () => {
  ca = await makeCa()
  client = await ca.issue({ name: 'jane', organisation: 'admins' })
})

const withUser = (user: JsonObject): JsonObject => kubeconfigWith({ user })
const withCluster = (cluster: JsonObject): JsonObject => kubeconfigWith({ cluster: { server: SERVER, ...cluster } })

describe('parseKubeconfig: credentials', () => {
  it.each(['abc\n', '  abc\r\n', 'abc'])('trims the ends of the token %j', (token) => {
    expect(tokenOf(withUser({ token }))).toBe('abc')
  })

  it.each<[string, JsonObject, string, string]>([
    ['exec', { exec: { command: 'aws' } }, 'unsupported_auth', 'users[0].user.exec'],
    ['exec beside a token', { token: 'abc', exec: { command: 'aws' } }, 'unsupported_auth', 'users[0].user.exec'],
    ['a password', { username: 'admin', password: 'example-pw' }, 'unsupported_auth', 'users[0].user.username'],
    ['token-file', { 'token-file': '/x' }, 'local_file_reference', 'users[0].user.token-file'],
    ['tokenFile beside a token', { token: 'abc', tokenFile: '/x' }, 'local_file_reference', 'users[0].user.tokenFile'],
    ['an unknown field', { token: 'abc', 'act-as': 'x' }, 'unsupported_field', 'users[0].user.act-as'],
    ['a secret as key', { 'example-token-not-a-secret-1: ': 'x' }, 'unsupported_field', 'users[0].user.?'],
    ['nothing', {}, 'incomplete_credential', 'users[0].user'],
    ['only unset fields', { token: '', exec: null }, 'incomplete_credential', 'users[0].user'],
    ['an inner space', { token: 'example-token-not-a-secret 1' }, 'invalid_credential', 'users[0].user.token'],
    ['a letter outside ASCII', { token: 'example-token-not-a-secret-é' }, 'invalid_credential', 'users[0].user.token'],
    ['REDACTED', { token: 'REDACTED' }, 'invalid_credential', 'users[0].user.token'],
    ['a number', { token: 12345 }, 'invalid_type', 'users[0].user.token'],
    ['a list', { token: ['example-token-not-a-secret-1'] }, 'invalid_type', 'users[0].user.token'],
  ])('refuses %s', (_what, user, fault, field) => {
    expect(rejection(withUser(user))).toMatchObject({ kind: 'invalid', class: fault, field })
  })

  it('says how to make a service account token when a program would be run', () => {
    expect(rejection(withUser({ exec: { command: 'aws' } })).message).toMatch(/service account token.*kubectl create/)
  })

  it.each<[string, () => JsonObject, string]>([
    ['without a key', () => ({ 'client-certificate-data': base64(client.certificatePem) }), 'incomplete_credential'],
    ['without a certificate', () => ({ 'client-key-data': base64(client.keyPem) }), 'incomplete_credential'],
    [
      'with PEM instead of base64',
      () => ({ 'client-certificate-data': client.certificatePem, 'client-key-data': base64(client.keyPem) }),
      'invalid_base64',
    ],
    [
      'with a placeholder',
      () => ({ 'client-certificate-data': 'DATA+OMITTED', 'client-key-data': 'DATA+OMITTED' }),
      'invalid_pem',
    ],
    [
      'with a damaged key',
      () => ({
        'client-certificate-data': base64(client.certificatePem),
        'client-key-data': base64('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'),
      }),
      'invalid_pem',
    ],
    [
      'with an encrypted key',
      () => ({
        'client-certificate-data': base64(client.certificatePem),
        'client-key-data': base64(client.keyPem.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE')),
      }),
      'invalid_pem',
    ],
  ])('refuses a client certificate %s', (_what, user, fault) => {
    expect(rejection(withUser(user())).class).toBe(fault)
  })

  it('refuses a certificate that is not valid yet, with 5 minutes of slack', async () => {
    const issued = await ca.issue({ notBefore: new Date(NOW.getTime() + 10 * 60_000) })
    const user = { 'client-certificate-data': base64(issued.certificatePem), 'client-key-data': base64(issued.keyPem) }
    expect(rejection(withUser(user)).class).toBe('credential_not_yet_valid')
    expect(parse(withUser(user), { now: new Date(NOW.getTime() + 6 * 60_000) }).credential.kind).toBe(
      'client-certificate',
    )
  })

  it('takes path fields whose data is embedded, as kubectl does', () => {
    const user = {
      'client-certificate': '/x',
      'client-certificate-data': base64(client.certificatePem),
      'client-key': '/y',
      'client-key-data': base64(client.keyPem),
    }
    const intake = parse(withUser(user))
    expect(intake.credential.kind).toBe('client-certificate')
    expect(intake.warnings.join()).toMatch(/expires at/)
  })

  it('knows the end of a JWT', () => {
    const exp = Math.floor(NOW.getTime() / 1000) + 90 * 86_400
    expect(parse(withUser({ token: jwt({ exp }) })).expiresAt).toBe(
      new Date(exp * 1000).toISOString().replace('.000Z', 'Z'),
    )
    expect(parse(withUser({ token: 'a.b.c' })).expiresAt).toBeNull()
    expect(rejection(withUser({ token: jwt({ exp: 1_600_000_000 }) }))).toMatchObject({
      class: 'credential_expired',
      field: 'users[0].user.token',
    })
  })
})

describe('parseKubeconfig: cluster', () => {
  it.each<[string, JsonObject, string, string]>([
    ['http', { server: 'http://api.example.com:8080' }, 'insecure_server_url', 'server'],
    ['user info', { server: 'https://root:example-pw@api.example.com' }, 'invalid_server_url', 'server'],
    ['a query', { server: `${SERVER}/?token=example-pw` }, 'invalid_server_url', 'server'],
    ['no scheme and user info', { server: 'root:example-pw@api.example.com' }, 'invalid_server_url', 'server'],
    ['one slash', { server: 'https:/api.example.com' }, 'invalid_server_url', 'server'],
    ['another scheme', { server: 'ftp://api.example.com' }, 'invalid_server_url', 'server'],
    ['port 0', { server: 'https://api.example.com:0' }, 'invalid_server_url', 'server'],
    ['no server', { server: null }, 'invalid_kubeconfig', 'server'],
    ['proxy-url', { 'proxy-url': 'http://proxy.example.com:3128' }, 'unsupported_field', 'proxy-url'],
    ['the flag as text', { 'insecure-skip-tls-verify': 'true' }, 'invalid_type', 'insecure-skip-tls-verify'],
    ['a server name with spaces', { 'tls-server-name': 'a b' }, 'invalid_kubeconfig', 'tls-server-name'],
    [
      'a CA that is no PEM',
      { 'certificate-authority-data': base64('hello') },
      'invalid_pem',
      'certificate-authority-data',
    ],
    ['a CA path', { 'certificate-authority': 'ca.crt' }, 'local_file_reference', 'certificate-authority'],
  ])('refuses %s', (_what, cluster, fault, field) => {
    expect(rejection(withCluster(cluster))).toMatchObject({ class: fault, field: `clusters[0].cluster.${field}` })
  })

  it.each([
    [`${SERVER}/`, SERVER],
    [` ${SERVER} `, SERVER],
    ['https://rancher.example.com/k8s/clusters/c-m-1/', 'https://rancher.example.com/k8s/clusters/c-m-1'],
    ['https://API.example.com', 'https://API.example.com'],
    ['https://api.example.com:443', 'https://api.example.com'],
    ['https://0x7f.1:6443', 'https://127.0.0.1:6443'],
  ])('takes %j as %s', (server, expected) => {
    expect(parse(withCluster({ server })).endpoint.server).toBe(expected)
  })

  it('refuses CA with skip-verify even when unverified TLS is allowed', () => {
    const cluster = { 'insecure-skip-tls-verify': true, 'certificate-authority-data': base64(ca.certificatePem) }
    expect(rejection(withCluster(cluster), { allowInsecure: true }).class).toBe('conflicting_fields')
  })

  it('refuses denied literals when a policy is given', () => {
    const server = 'https://2852039166'
    expect(rejection(withCluster({ server }), { policy: localPolicy })).toMatchObject({
      class: 'forbidden_address',
      field: 'clusters[0].cluster.server',
    })
    expect(rejection(withCluster({ server: 'https://10.0.0.1' }), { policy: restrictedPolicy([]) }).class).toBe(
      'forbidden_address',
    )
    expect(parse(withCluster({ server: 'https://10.0.0.1' }), { policy: localPolicy }).endpoint.server).toBe(
      'https://10.0.0.1',
    )
  })

  it('warns of unknown fields, and of an expired CA', () => {
    const later = new Date(NOW.getTime() + 48 * 3_600_000)
    const { warnings } = parse(withCluster({ mystery: 1, 'certificate-authority-data': base64(ca.certificatePem) }), {
      now: later,
    })
    expect(warnings.join()).toMatch(/mystery.*expired/)
  })
})

describe('parseKubeconfig: contexts', () => {
  const two = (file: JsonObject): JsonObject =>
    kubeconfigWith({
      file: {
        contexts: [
          { name: 'a', context: { cluster: 'demo', user: 'demo-admin' } },
          { name: 'b', context: { cluster: 'demo', user: 'demo-admin' } },
        ],
        ...file,
      },
    })

  it.each<[string, JsonObject]>([
    ['missing', { 'current-context': null }],
    ['empty', { 'current-context': '' }],
    ['wrong', { 'current-context': 'c' }],
  ])('asks for a context when current-context is %s', (_what, file) => {
    const refused = rejection(two(file))
    expect(refused.class).toBe('context_required')
    expect(refused.message).toContain('"a", "b"')
  })

  it('takes the named context, and the only one', () => {
    expect(parse(two({}), { context: 'b' }).context).toBe('b')
    expect(parse(kubeconfigWith({ file: { 'current-context': null } })).context).toBe('demo')
    expect(rejection(two({}), { context: 'c' }).class).toBe('context_required')
  })

  it('lets broken entries be that are not chosen', () => {
    const [users, clusters] = [kubeconfigWith().users as JsonObject[], kubeconfigWith().clusters as JsonObject[]]
    const file = { users: [null, 7, { name: 12 }, ...users], clusters: [{ name: 'x' }, ...clusters] }
    expect(parse(kubeconfigWith({ file })).userName).toBe('demo-admin')
  })

  it('refuses two entries of the chosen name', () => {
    const users = [...(kubeconfigWith().users as JsonObject[]), { name: 'demo-admin', user: { token: 'other' } }]
    expect(rejection(kubeconfigWith({ file: { users } }))).toMatchObject({
      class: 'duplicate_name',
      field: 'users[0].name',
    })
  })
})

describe('parseKubeconfig: text', () => {
  const yaml = (): string => stringify(kubeconfigWith())

  it.each<[string, string, string]>([
    ['empty text', ' \n', 'invalid_kubeconfig'],
    ['a scalar', 'hello', 'invalid_kubeconfig'],
    ['a list', '- a\n- b\n', 'invalid_kubeconfig'],
    ['an empty object', '{}', 'invalid_kubeconfig'],
    ['a Secret', 'apiVersion: v1\nkind: Secret\ndata: {kubeconfig: YQ==}\n', 'not_a_kubeconfig'],
    ['another kind', 'apiVersion: apps/v1\nkind: Deployment\n', 'not_a_kubeconfig'],
    ['PEM', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'not_a_kubeconfig'],
    ['escaped line breaks', 'apiVersion: v1\\nkind: Config\\nclusters: []\\n', 'not_a_kubeconfig'],
    ['a JSON string', JSON.stringify('apiVersion: v1\nkind: Config\n'), 'not_a_kubeconfig'],
    ['an unclosed quote', 'users:\n- name: "example-token-not-a-secret-1\n', 'invalid_yaml'],
    ['tabs', 'users:\n\t- name: example-token-not-a-secret-1\n', 'invalid_yaml'],
    ['a tag', 'kind: !!js/function example-token-not-a-secret-1\n', 'invalid_yaml'],
    ['an unknown alias', 'kind: Config\nusers: *example-token-not-a-secret-1\n', 'invalid_yaml'],
    ['a key twice', 'kind: Config\nkind: Config\n', 'invalid_yaml'],
    ['a key twice in JSON', '{"kind":"Config","k\\u0069nd":"Config"}', 'invalid_kubeconfig'],
    ['a merge key without a mapping', 'kind: Config\nx: {<<: demo}\n', 'invalid_yaml'],
    ['a key twice beside a merge key', 'x: &x {a: 1}\ny: {<<: *x, b: 1, b: 2}\n', 'invalid_yaml'],
    [
      'many keys of one mapping',
      `x: {${Array.from({ length: 5_900 }, (_, at) => `k${at}`).join(',')}}`,
      'invalid_kubeconfig',
    ],
    ['a recursive merge', 'kind: Config\nx: &a\n  <<: *a\n', 'too_deep'],
    ['a recursive alias', 'kind: Config\nx: &a [*a]\n', 'too_deep'],
    ['deep brackets', '['.repeat(200_000), 'too_deep'],
    ['deep dashes', '- '.repeat(120_000), 'too_deep'],
    ['deep JSON', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'too_deep'],
    ['indented far', Array.from({ length: 600 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), 'too_deep'],
    ['many values', `kind: Config\nx: [${'1,'.repeat(30_000)}]`, 'too_large'],
    ['many commas', `x: {${','.repeat(240_000)}}`, 'too_large'],
    ['many keys without values', `x: {${'b\n'.repeat(120_000)}}`, 'too_large'],
    ['many brackets that close nothing', `kind: Config\n${'}\n'.repeat(120_000)}`, 'too_large'],
    ['many documents', '---\n'.repeat(60_000), 'too_large'],
    ['many comments', '#\n'.repeat(120_000), 'too_large'],
    ['many lines', '- a\n'.repeat(60_000), 'too_large'],
    ['many anchors', `x: [${'&a 1,'.repeat(48_000)}]`, 'too_large'],
    ['many tags', '- !x a\n'.repeat(34_000), 'too_large'],
  ])('refuses %s', (_what, text, fault) => {
    const started = performance.now()
    expect(rejection(text).class).toBe(fault)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('refuses more than 256 KiB as too large', () => {
    expect(rejection(`${yaml()}# ${'é'.repeat(131_072)}`)).toMatchObject({ kind: 'too-large', class: 'too_large' })
    expect(rejection(kubeconfigWith({ file: { x: 'x'.repeat(262_144) } })).kind).toBe('too-large')
  })

  it.each<[string, (text: string) => string]>([
    ['document markers', (text) => `---\n${text}...\n---\n# end\n`],
    ['a byte order mark and CRLF', (text) => `\uFEFF${text.replaceAll('\n', '\r\n')}`],
    ['anchors', (text) => text.replace('user:\n', 'user: &user\n')],
    ['a comment with brackets', (text) => `# ${'['.repeat(500)}\n${text}`],
  ])('takes %s', (_what, change) => {
    expect(tokenOf(change(yaml()))).toBe('example-token-not-a-secret-9000')
  })

  it('reads the bare words of YAML 1.1 as kubectl does', () => {
    expect(rejection(yaml().replaceAll(' demo\n', ' no\n')).message).toContain('quote the name')
    expect(parse(yaml().replaceAll(' demo\n', ' "no"\n')).context).toBe('no')
    for (const text of ['y', 'N', '12:30:45', '2026-11-29', 'yEs', '~a'])
      expect(parse(yaml().replaceAll(' demo\n', ` ${text}\n`)).context).toBe(text)
    for (const number of ['0x1f', '010', '1_000', '.inf', '1e3'])
      expect(rejection(yaml().replaceAll(' demo\n', ` ${number}\n`)).message).toContain('quote the name')
  })

  it('takes what a mapping says itself before what it merges, and the first source before the second', () => {
    const user = 'user: {<<: [*first, *second], <<: *third}\n'
    const text = (own: string) =>
      `first: &first {token: first-token-00000}\nsecond: &second {token: second-token-0000}\nthird: &third {token: third-token-0000}\n${yaml().replace(/user:\n.*\n/, `${user.replace('<<', `${own}<<`)}`)}`
    expect(tokenOf(text(''))).toBe('first-token-00000')
    expect(tokenOf(text('token: own-token-00000, '))).toBe('own-token-00000')
  })
})
