import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnvironment } from './python-environment.ts'
import { type Server, startServer } from './server.ts'

/** magnum-rest.md 10.2 and 10.3: gophercloud as it is, and with it the requests of the Terraform provider. The tests are in Go. */

const FOLDER = path.join(import.meta.dirname, 'gophercloud')
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
const NO_GO =
  'The end-to-end tests drive gophercloud, which needs Go 1.25 or newer as `go` on PATH, and a module proxy that it can reach.'

type Event = { Action: string; Test?: string; Output?: string }

/** What `go test -json` prints, whether tests failed or not. @throws when it could not run */
const goTest = async (url: string): Promise<Event[]> => {
  const options = { cwd: FOLDER, env: { ...cleanEnvironment(), FEDPLANE_URL: url }, maxBuffer: 64 << 20 }
  const { stdout, stderr } = await promisify(execFile)('go', ['test', '-count=1', '-json', './...'], options).catch(
    (cause: Error & { stdout?: string; stderr?: string }) => {
      if (cause.stdout) return { stdout: cause.stdout, stderr: cause.stderr ?? '' }
      throw new Error(`${NO_GO}\n${cause.stderr || cause.message}`, { cause })
    },
  )
  const events = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Event)
  if (events.every(({ Test }) => Test === undefined)) throw new Error(`${NO_GO}\n${stdout}${stderr}`)
  return events
}

describe('gophercloud', () => {
  let server: Server
  let events: Event[]

  beforeAll(async () => {
    server = await startServer()
    events = await goTest(server.url)
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
