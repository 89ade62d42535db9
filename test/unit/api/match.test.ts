import { describe, expect, it } from 'vitest'
import { matcher, segmentsOf } from '../../../functions/api/match.ts'
import { ROUTES } from '../../../functions/api/routes.ts'

describe('segmentsOf', () => {
  it.each<[string, string[]]>([
    ['/', ['']],
    ['', ['']],
    ['/healthcheck', ['healthcheck']],
    ['/v1', ['v1']],
    ['/v1///', ['v1']],
    ['/clusters/a/', ['v1', 'clusters', 'a']],
    ['/v1/drivers/memory@1', ['v1', 'drivers', 'memory@1']],
    ['/v1/clusters/100%25', ['v1', 'clusters', '100%25']],
    ['/v1/clusters/%', ['v1', 'clusters', '%']],
    ['/healthcheck/x', ['v1', 'healthcheck', 'x']],
  ])('%s', (path, segments) => {
    expect(segmentsOf(path)).toEqual(segments)
  })
})

describe('the route table', () => {
  const match = matcher(ROUTES)

  it('has each method and path once', () => {
    const keys = ROUTES.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it.each(ROUTES.map(({ method, path }) => [method, path] as const))('finds %s %s', (method, path) => {
    const found = match(method, path.replaceAll(/\{\w+\}/g, 'x'))
    expect('route' in found && found.route.path).toBe(path)
  })

  it('prefers a literal segment to a parameter', () => {
    const found = match('GET', '/v1/clusters/detail')
    expect('route' in found && found.route.path).toBe('/v1/clusters/detail')
  })

  it('gives parameters decoded', () => {
    const found = match('GET', '/v1/federations/a b/members/c')
    expect('params' in found && found.params).toEqual({ federation: 'a b', cluster: 'c' })
  })

  it('has keys only where something is sealed or read, whoever makes a cluster is asked, or grants are (decision 0038)', () => {
    const keyed = ROUTES.filter(({ access }) => access === 'keys').map(({ method, path }) => `${method} ${path}`)
    expect(keyed.sort()).toEqual([
      'DELETE /v1/clusters/{cluster}',
      'DELETE /v1/clusters/{cluster}/federations/{federation}',
      'DELETE /v1/clusters/{cluster}/grants/{grant}',
      'DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}',
      'DELETE /v1/federations/{federation}',
      'GET /v1/clusters/{cluster}/federations',
      'GET /v1/clusters/{cluster}/grants',
      'GET /v1/clusters/{cluster}/grants/{grant}',
      'GET /v1/federations/{federation}/kubeconfig',
      'GET /v1/grants',
      'PATCH /v1/certificates/{cluster}',
      'PATCH /v1/clusters/{cluster}',
      'PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}',
      'PATCH /v1/credentials/{cluster}',
      'PATCH /v1/federations/{federation}',
      'POST /v1/certificates',
      'POST /v1/clusters',
      'POST /v1/clusters/{cluster}/actions/resize',
      'POST /v1/clusters/{cluster}/actions/upgrade',
      'POST /v1/clusters/{cluster}/grants',
      'POST /v1/clusters/{cluster}/kubeconfig',
      'POST /v1/clusters/{cluster}/nodegroups',
      'POST /v1/federations',
      'POST /v1/federations/{federation}/kubeconfig',
      'POST /v1/triggers',
      'POST /v1/triggers/{trigger}/actions/rotate-secret',
    ])
  })
})
