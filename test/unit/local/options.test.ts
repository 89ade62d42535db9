import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROJECT_LIMITS } from '../../../functions/core/values/quota.ts'
import { readOptions } from '../../../local/options.ts'

describe('readOptions', () => {
  it('has defaults for everything', () => {
    expect(readOptions([], {})).toEqual({
      port: 9511,
      dataDir: resolve('.fedplane'),
      tokensFile: undefined,
      policies: undefined,
      publicUrl: undefined,
      trustForwarded: false,
      allowOtherUsers: false,
      clustersPerProject: 20,
      projectLimits: PROJECT_LIMITS,
      rates: { perProject: 0, perPrincipal: 0 },
      logLevel: 'warn',
      dynamodbEndpoint: undefined,
      drivers: {
        enabledFederation: ['karmada@1', 'clusterprofile@1', 'memory@1'],
        defaultFederation: 'karmada@1',
        enabledCluster: ['external@1', 'eks@1', 'memory@1', 'capi@1'],
      },
    })
  })

  it('reads what projects may use of AWS', () => {
    const read = (FEDPLANE_EKS_GRANTS: string) => readOptions([], { FEDPLANE_EKS_GRANTS })
    const arn = 'arn:aws:iam::111122223333:role/shop'
    expect(read(`blue=${arn}`)).toMatchObject({ eksGrants: [{ projectId: 'blue', arn }] })
    expect(read('')).toMatchObject({ eksGrants: undefined })
    expect(() => read('blue=shop')).toThrow(/FEDPLANE_EKS_GRANTS is wrong: "blue=shop" is neither/)
  })

  it('takes the environment, where an empty setting is an absent one', () => {
    const environment = {
      FEDPLANE_PORT: '0',
      FEDPLANE_DATA_DIR: '/data',
      FEDPLANE_TOKENS: 'tokens.json',
      FEDPLANE_POLICIES: 'policies',
      FEDPLANE_PUBLIC_URL: 'https://cloud.example.com/magnum/',
      FEDPLANE_TRUST_FORWARDED: 'true',
      FEDPLANE_ALLOW_OTHER_USERS: 'true',
      FEDPLANE_CLUSTERS_PER_PROJECT: '0',
      FEDPLANE_FEDERATIONS_PER_PROJECT: '1',
      FEDPLANE_TEMPLATES_PER_PROJECT: '2',
      FEDPLANE_OPERATIONS_PER_PROJECT: '3',
      FEDPLANE_GRANTS_PER_PROJECT: '4',
      FEDPLANE_REQUESTS_PER_PROJECT: '9',
      FEDPLANE_REQUESTS_PER_PRINCIPAL: '8',
      FEDPLANE_LOG_LEVEL: 'debug',
      FEDPLANE_DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000',
      FEDPLANE_KARMADA_CRDS: 'crds',
      FEDPLANE_FEDERATION_DRIVERS: 'memory@1, clusterprofile@1',
      FEDPLANE_CLUSTER_DRIVERS: 'memory@1',
    }
    expect(readOptions([], environment)).toEqual({
      port: 0,
      dataDir: '/data',
      tokensFile: resolve('tokens.json'),
      policies: resolve('policies'),
      publicUrl: 'https://cloud.example.com/magnum',
      trustForwarded: true,
      allowOtherUsers: true,
      clustersPerProject: 0,
      projectLimits: { ...PROJECT_LIMITS, federations: 1, templates: 2, operations: 3, grants: 4 },
      rates: { perProject: 9, perPrincipal: 8 },
      logLevel: 'debug',
      dynamodbEndpoint: 'http://127.0.0.1:8000',
      karmadaCrds: resolve('crds'),
      drivers: {
        enabledFederation: ['memory@1', 'clusterprofile@1'],
        defaultFederation: 'memory@1',
        enabledCluster: ['memory@1'],
      },
    })
    const empty = Object.fromEntries(Object.keys(environment).map((name) => [name, '']))
    expect(readOptions([], empty)).toEqual(readOptions([], {}))
  })

  it.each([
    ['crds', resolve('crds')],
    ['https://mirror.example.com/crds.tar.gz', 'https://mirror.example.com/crds.tar.gz'],
  ])('takes the CRDs of %s', (given, karmadaCrds) => {
    expect(readOptions([], { FEDPLANE_KARMADA_CRDS: given })).toMatchObject({ karmadaCrds })
  })

  it('lets the command line go before the environment', () => {
    const options = readOptions(['--port', '1234', '--data-dir=/other'], {
      FEDPLANE_PORT: '1',
      FEDPLANE_DATA_DIR: '/x',
    })
    expect(options).toMatchObject({ port: 1234, dataDir: '/other' })
  })

  it('knows when only help is asked for', () => {
    expect(readOptions(['--help'], { FEDPLANE_PORT: 'bad' })).toBe('help')
  })

  it('knows when only the version is asked for', () => {
    expect(readOptions(['--version'], { FEDPLANE_PORT: 'bad' })).toBe('version')
  })

  it.each([
    [['--port', 'http'], {}, /^The port "http" is not a number from 0 to 65535\. .*--port/],
    [['--port', '65536'], {}, /65536/],
    [['--port', '-1'], {}, /--help/],
    [['--port'], {}, /--port.*--help/],
    [['--prot', '1'], {}, /--prot.*--help/],
    [['extra'], {}, /extra.*--help/],
    [[], { FEDPLANE_PORT: '80a' }, /80a.*FEDPLANE_PORT/],
    [[], { FEDPLANE_LOG_LEVEL: 'loud' }, /loud.*debug, info, warn/],
    [[], { FEDPLANE_CLUSTERS_PER_PROJECT: 'many' }, /FEDPLANE_CLUSTERS_PER_PROJECT is "many"/],
    [[], { FEDPLANE_OPERATIONS_PER_PROJECT: '-1' }, /FEDPLANE_OPERATIONS_PER_PROJECT is "-1"/],
    [[], { FEDPLANE_PUBLIC_URL: 'cloud.example.com' }, /FEDPLANE_PUBLIC_URL is no URL.*https:\/\//],
    [[], { FEDPLANE_PUBLIC_URL: 'ftp://cloud.example.com' }, /http:\/\/ or https:\/\//],
    [[], { FEDPLANE_PUBLIC_URL: 'https://cloud.example.com/v1/' }, /ends in \/v1/],
    [[], { FEDPLANE_PUBLIC_URL: 'https://cloud.example.com/?a=b' }, /query or fragment/],
    [[], { FEDPLANE_PUBLIC_URL: 'https://cloud.example.com/a%20b' }, /path with other characters/],
    [
      [],
      { FEDPLANE_PUBLIC_URL: 'https://ana:s3cret@cloud.example.com' },
      /^((?!s3cret).)*user or password((?!s3cret).)*$/,
    ],
    [[], { FEDPLANE_ALLOW_OTHER_USERS: 'yes' }, /FEDPLANE_ALLOW_OTHER_USERS is "yes".*true.*false/],
    [[], { FEDPLANE_TRUST_FORWARDED: 'yes' }, /FEDPLANE_TRUST_FORWARDED is "yes".*true.*false/],
    [[], { FEDPLANE_DYNAMODB_ENDPOINT: 'localhost:8000' }, /FEDPLANE_DYNAMODB_ENDPOINT/],
  ])('refuses what is wrong in a sentence (%j %j)', (args, environment, message) => {
    expect(() => readOptions(args, environment)).toThrow(
      expect.objectContaining({ name: 'OptionInvalid', message: expect.stringMatching(message) }),
    )
  })
})
