import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GoEvent, goTest } from './go-test.ts'
import { type Server, startServer } from './server.ts'

/** magnum-rest.md 10.2 and 10.3: gophercloud as it is, and with it the requests of the Terraform provider. The tests are in Go. */

const TESTS = [
  'TestCertificates',
  'TestClusterTemplates',
  'TestClusters',
  'TestFailedCluster',
  'TestNodeGroups',
  'TestPages',
  'TestQuotas',
  'TestTerraformCluster',
  'TestTerraformClusterTemplate',
  'TestTerraformClusterWithoutWorkers',
  'TestTerraformNodeGroup',
]
describe('gophercloud', () => {
  let server: Server
  let events: GoEvent[]

  beforeAll(async () => {
    server = await startServer()
    events = await goTest('.', { FEDPLANE_URL: server.url })
  }, 300_000)
  afterAll(() => server?.close())

  const endOf = (test: string) => events.find((event) => event.Test === test && /^(pass|fail|skip)$/.test(event.Action))
  const outputOf = (test: string): string =>
    events.flatMap((event) => (event.Test === test && event.Output ? [event.Output] : [])).join('')

  it.each(TESTS)('%s', (test) => {
    expect(endOf(test)?.Action, outputOf(test)).toBe('pass')
  })

  it('has no test that is not checked here', () => {
    const run = new Set(events.flatMap(({ Test }) => (Test === undefined ? [] : [Test])))
    expect([...run].sort()).toEqual(TESTS)
  })
})
