import { describe, expect, it } from 'vitest'
import { isNamespaceOf, namespaceObject } from '../../../../functions/drivers/cluster/capi/v1/management/owned.ts'
import {
  classNamespaceOf,
  clusterNames,
  machineDeploymentName,
} from '../../../../functions/drivers/cluster/capi/v1/model/names.ts'
import { namesState } from '../../../../functions/drivers/cluster/capi/v1/model/state.schema.ts'
import { clusterEntity } from '../../../support/drivers/test-cluster.ts'

const ID = '019a2b3c-0000-7000-8000-0123456789ab'

const named = (name: string) => clusterNames(clusterEntity({ id: ID, name }), {}).cluster

describe('clusterNames', () => {
  it.each([
    ['paris', 'paris-encwpcnl'],
    ['Paris West_1', 'paris-west-1-encwpcnl'],
    ['0815', 'c-encwpcnl'],
    ['東京', 'c-encwpcnl'],
    ['--', 'c-encwpcnl'],
    [`${'a'.repeat(23)}--b`, `${'a'.repeat(23)}-encwpcnl`],
  ])('makes of %j the name %s', (name, expected) => expect(named(name)).toBe(expected))

  it('is at most 33 characters long', () => expect(named('x'.repeat(200))).toHaveLength(33))

  it('differs for two clusters of one name', () =>
    expect(clusterNames(clusterEntity({ name: 'paris' }), {}).cluster).not.toBe(
      clusterNames(clusterEntity({ name: 'paris' }), {}).cluster,
    ))

  it('stays when the cluster is renamed, once it is stored', () => {
    const cluster = clusterEntity({ name: 'paris' })
    const names = clusterNames(cluster, {})
    const renamed = { ...cluster, name: 'london', driverState: namesState(names) }
    expect(clusterNames(renamed, { namespace_prefix: 'other' })).toStrictEqual(names)
  })

  it.each([
    ['0123456789abcdef0123456789abcdef', 'fedplane-0123456789abcdef0123456789abcdef'],
    ['local', 'fedplane-local'],
  ])('puts project %s into namespace %s', (projectId, namespace) =>
    expect(clusterNames(clusterEntity({ projectId }), {}).namespace).toBe(namespace),
  )

  it('gives projects whose ids look alike namespaces of their own, which fit', () => {
    const projects = ['team-a', 'Team-A', 'team.a', 'team--a', '…', 'x'.repeat(100), 'x'.repeat(101)]
    const namespaces = projects.map(
      (projectId) => clusterNames(clusterEntity({ projectId }), { namespace_prefix: 'a'.repeat(20) }).namespace,
    )
    expect(new Set(namespaces).size).toBe(projects.length)
    for (const namespace of namespaces) expect(namespace).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
  })
})

describe('classNamespaceOf', () => {
  it.each([{}, { namespace_prefix: 'magnum' }])("is no project's namespace (%j)", (options) => {
    const own = classNamespaceOf(options)
    expect(own).toBe(options.namespace_prefix ?? 'fedplane')
    for (const projectId of ['', '-', 'x', '…']) {
      expect(clusterNames(clusterEntity({ projectId }), options).namespace).not.toBe(own)
    }
  })
})

describe('machineDeploymentName', () => {
  it.each([
    ['default-worker', 2, 'default-worker-2'],
    ['GPU', 3, 'gpu-3'],
    ['gpu', 4, 'gpu-4'],
    ['…', 5, 'group-5'],
    ['g'.repeat(255), 1234, `${'g'.repeat(24)}-1234`],
  ])('makes of group %s, number %d, %s', (name, number, expected) =>
    expect(machineDeploymentName({ name, number })).toBe(expected),
  )

  it('never gives two groups of a cluster one name', () => {
    const [a, b] = [
      machineDeploymentName({ name: 'gpu', number: 12 }),
      machineDeploymentName({ name: 'gpu-1', number: 2 }),
    ]
    expect(a).not.toBe(b)
  })
})

describe('the namespace of a project', () => {
  const names = { cluster: 'paris', namespace: 'fedplane-x' }

  it('is reported by its annotation, which holds the id as it is', () => {
    const namespace = namespaceObject(names, 'Team A/…')
    expect(isNamespaceOf(namespace, 'Team A/…')).toBe(true)
    expect(isNamespaceOf(namespace, 'team a')).toBe(false)
    expect(namespace.metadata.labels).toStrictEqual({ 'app.kubernetes.io/managed-by': 'fedplane' })
  })

  it('is not one without it', () =>
    expect(isNamespaceOf({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } }, 'p')).toBe(false))
})
