import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { CommandLine, withoutIds } from '../../support/cli/command-line.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

/** Every verb that needs no cluster of its own, against the real server. */

let fedplane: Fedplane
let cli: CommandLine
beforeAll(async () => {
  const drivers = { enabledFederation: ['memory@1'], enabledCluster: ['memory@1', 'external@1'] }
  fedplane = await startFedplane({ drivers, log: keptLog() })
  cli = new CommandLine({ FEDPLANE_SERVER: fedplane.url })
})
afterAll(async () => {
  await fedplane.close()
  cli.close()
})

const done = async (line: string | string[]): Promise<string> => {
  const { code, stdout, stderr } = await cli.run(line)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('fedplane template and driver', () => {
  it('creates, lists, shows and deletes a template', async () => {
    expect(await done('template create small --driver memory@1 --image none --label kube_tag=v1.36.0')).toBe(
      'clustertemplate/small created\n',
    )
    expect(await done('template list')).toMatch(/^NAME +DRIVER +IMAGE +PUBLIC\n(?:.*\n)*small +memory@1 +none +false\n/)
    expect(await done('template show small')).toMatch(/^labels: +\{"kube_tag":"v1\.36\.0"\}$/m)
    await done('template create gone --driver memory@1 --image none')
    expect(await done('template delete gone --yes')).toBe('clustertemplate/gone deleted\n')
  })

  it('lists drivers, and shows one with its properties', async () => {
    expect(await done('driver list')).toMatch(/^memory@1 +federations \(default\), clusters +\S/m)
    expect(await done('driver show memory@1')).toMatch(/^memory-delay-seconds +0 +Seconds that/m)
  })
})

describe('fedplane cluster', () => {
  it('creates clusters and waits for them', async () => {
    for (const name of ['hub', 'edge-1', 'edge-2']) {
      const { code, stdout, stderr } = await cli.run(`cluster create ${name} --template small --node-count 1`)
      expect([code, stdout]).toEqual([0, `cluster/${name} created\n`])
      expect(stderr).toMatch(new RegExp(`^cluster/${name} +CREATE_COMPLETE \\(\\d+s\\)$`, 'm'))
    }
  })

  it('observes one at once', async () => {
    expect(await done('cluster observe hub')).toBe('cluster/hub HEALTHY\n')
    expect((await cli.run('cluster observe hub --no-wait')).stdout).toBe('cluster/hub will be observed\n')
  })

  it('creates hooks, whose URL it prints once, lists and deletes them', async () => {
    const url = await done('cluster hook create hub pager')
    expect(url).toMatch(new RegExp(`^${fedplane.url}/v1/hooks/[0-9a-f-]{36}\\?token=[\\w-]{43}\n$`))
    expect((await fetch(url.trim(), { method: 'POST', body: 'anything' })).status).toBe(202)
    const listed = await done('cluster hook list hub')
    expect(listed).toMatch(/^NAME +UUID +AGE\npager +[0-9a-f-]{36} +\d+s\n$/)
    const [uuid] = /[0-9a-f-]{36}/.exec(listed)!
    expect(await done(`cluster hook delete hub ${uuid} --yes`)).toBe(`hook/${uuid} deleted\n`)
    expect((await fetch(url.trim(), { method: 'POST' })).status).toBe(404)
  })

  it('lists them in each format', async () => {
    expect(withoutIds(await done('cluster list'))).toBe(
      'NAME     STATUS            HEALTH    VERSION   NODES   DRIVER     AGE\n' +
        'hub      CREATE_COMPLETE   HEALTHY   v1.36.0   2       memory@1   <age>\n' +
        'edge-1   CREATE_COMPLETE   HEALTHY   v1.36.0   2       memory@1   <age>\n' +
        'edge-2   CREATE_COMPLETE   HEALTHY   v1.36.0   2       memory@1   <age>\n',
    )
    expect(await done('cluster list -o name')).toBe('cluster/hub\ncluster/edge-1\ncluster/edge-2\n')
    expect(JSON.parse(await done('cluster list -o json')).clusters).toHaveLength(3)
    expect(parse(await done('cluster list -o yaml')).clusters[0]).toMatchObject({
      name: 'hub',
      status: 'CREATE_COMPLETE',
    })
    expect(await done('cluster list -o jsonpath={.clusters[*].name}')).toBe('hub edge-1 edge-2')
    expect(await done('cluster list -o wide')).toMatch(/UUID +API SERVER +PROJECT +REASON/)
  })

  it('resizes, upgrades, and shows health and events', async () => {
    expect(await done('cluster resize edge-1 3')).toBe('cluster/edge-1 resized\n')
    await done('template create newer --driver memory@1 --image none --label kube_tag=v1.36.1')
    expect(await done('cluster upgrade edge-1 newer')).toBe('cluster/edge-1 upgraded\n')
    expect(await done('cluster health edge-1')).toMatch(/^Health: +HEALTHY\napi: +ok$/m)
    expect(await done('cluster show edge-1')).toMatch(/^Nodes: +1 control plane, 3 workers$/m)
    expect(await done('cluster events edge-1')).toMatch(/^<?.* +create +success +Created/m)
  })

  it('writes a kubeconfig with a certificate of its own', async () => {
    const config = parse(await done('cluster kubeconfig hub'))
    const [{ user }] = config.users
    expect(Buffer.from(user['client-certificate-data'], 'base64').toString()).toMatch(/^-----BEGIN CERTIFICATE-----/)
    expect(Buffer.from(user['client-key-data'], 'base64').toString()).toMatch(/^-----BEGIN PRIVATE KEY-----/)
  })
})

describe('a line that is run twice', () => {
  it('creates once', async () => {
    const line = 'cluster create twice --template small'
    const both = await Promise.all([cli.run(line), cli.run(line)])
    expect(both.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, 'cluster/twice created\n'],
      [0, 'cluster/twice created\n'],
    ])
    await done('cluster delete twice --yes')
    expect(await done(line)).toBe('cluster/twice created\n')
    await done('cluster delete twice --yes')
  })
})

describe('fedplane federation', () => {
  it('says what a creation would do, and does nothing', async () => {
    expect(await done('federation create fleet --host hub --member edge-1 --dry-run')).toMatch(
      /The change would succeed\.\n$/,
    )
    expect(await cli.run('federation list')).toEqual({ code: 0, stdout: '', stderr: 'There are no federations.\n' })
  })

  it('creates one, waits, and shows progress member by member', async () => {
    const { code, stdout, stderr } = await cli.run('federation create fleet --host hub --member edge-1')
    expect([code, stdout]).toEqual([0, 'federation/fleet created\n'])
    expect(stderr).toMatch(/^federation\/fleet +CREATE_COMPLETE \(\d+s\)$/m)
    expect(stderr).toMatch(/^edge-1 +Ready \(\d+s\)$/m)
  })

  it('joins and unjoins', async () => {
    expect(await done('federation join fleet edge-2')).toBe('federation/fleet: edge-2 joined\n')
    expect(withoutIds(await done('federation members fleet'))).toBe(
      'NAME     STATE   REASON   SINCE   MESSAGE\nedge-1   Ready   <none>   <age>   <none>\nedge-2   Ready   <none>   <age>   <none>\n',
    )
    expect(await done('federation unjoin fleet edge-1 --yes')).toBe('federation/fleet: edge-1 unjoined\n')
    expect(await done('federation list -o jsonpath={.federations[0].members[*].name}')).toBe('edge-2')
  })

  it('shows it with members and conditions', async () => {
    expect(withoutIds(await done('federation show fleet'))).toBe(
      [
        'Name:         fleet',
        'UUID:         <uuid>',
        'Status:       UPDATE_COMPLETE',
        'Reason:       <none>',
        'Host:         hub (<uuid>)',
        'Driver:       memory@1',
        'Endpoint:     memory://<uuid>',
        'Properties:   <none>',
        'Unhealthy:    kept',
        'Project:      local',
        'Created:      <time>',
        '',
        'Members:',
        '  NAME     STATE   REASON   SINCE   MESSAGE',
        '  edge-2   Ready   <none>   <age>   <none>',
        '',
        'Conditions:',
        '  TYPE                STATUS   REASON     MESSAGE',
        '  ControlPlaneReady   True     Created    The control plane is up.',
        '  MembersReady        True     AllReady   1 member is ready.',
        '',
      ].join('\n'),
    )
  })

  it('updates properties, and says what a change would do', async () => {
    expect(await done(['federation', 'update', 'fleet', '--property', 'note=a=b c'])).toBe('federation/fleet updated\n')
    expect(await done('federation show fleet -o jsonpath={.properties.note}')).toBe('a=b c')
    expect(await done('federation update fleet --remove-property note --dry-run')).toMatch(/would succeed/)
    await done('federation update fleet --remove-property note')
    expect(await done('federation show fleet -o jsonpath={.properties}')).toBe('{}')
  })

  it('ends with what failed, and its exit code', async () => {
    const { code, stdout, stderr } = await cli.run(
      'federation create broken --host hub --property memory-fail-phase=namespace',
    )
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^fedplane: Federation broken is CREATE_FAILED: .+\nTry: fedplane federation events broken\n$/m,
    )
    expect(await done('federation delete broken --yes')).toBe('federation/broken deleted\n')
  })

  it('names the member that could not join', async () => {
    const { code, stdout, stderr } = await cli.run(
      'federation create half --host hub --member edge-1 --property memory-fail-phase=register',
    )
    expect([code, stdout]).toEqual([1, 'federation/half created\n'])
    expect(stderr).toMatch(/^fedplane: In federation half edge-1 is JoinFailed: .+$/m)
    await done('federation delete half --yes')
  })

  it('does not wait with --no-wait, and says how to look again', async () => {
    const { code, stdout, stderr } = await cli.run(
      'federation create later --host hub --property memory-delay-seconds=1 --no-wait',
    )
    expect([code, stdout, stderr]).toEqual([
      0,
      'federation/later is being created\n',
      'Try: fedplane federation watch later\n',
    ])
    expect(await done('federation watch later')).toMatch(/^Status: +CREATE_COMPLETE$/m)
  })

  it('stops waiting after --timeout and after Ctrl-C, and the work goes on', async () => {
    // Longer than any test: a delete takes its place below.
    const slow = 'federation create slow --host hub --property memory-delay-seconds=900'
    expect(await cli.run(`${slow} --timeout 0s`)).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/The work goes on\.\nTry: fedplane federation watch slow\n$/),
    })
    const { code, stderr } = await cli.run('federation watch slow', { interruptAt: 'CREATE_IN_PROGRESS' })
    expect([code, stderr]).toEqual([
      130,
      expect.stringMatching(/Stopped watching\. The work goes on\.\nTry: fedplane federation watch slow\n$/),
    ])
    expect(await done('federation show slow -o jsonpath={.status}')).toBe('CREATE_IN_PROGRESS')
  })

  it('lists events', async () => {
    expect(await done('federation events fleet')).toMatch(/^\S+ +unjoin +success +Unjoined +edge-1 left/m)
  })

  it('deletes several, and names what goes before it asks', async () => {
    const asked = await cli.run('federation delete fleet later slow')
    expect(asked).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/Federation fleet will be deleted, and edge-2 leave it\./),
    })
    expect(await done('federation delete fleet later slow --yes')).toBe(
      'federation/fleet deleted\nfederation/later deleted\nfederation/slow deleted\n',
    )
    expect(await done('cluster delete hub edge-1 edge-2 --yes')).toBe(
      'cluster/hub deleted\ncluster/edge-1 deleted\ncluster/edge-2 deleted\n',
    )
  })
})

describe('fedplane cluster delete', () => {
  it('says what goes before it asks, and does not wait with --no-wait', async () => {
    await done('cluster create gone --template small --node-count 2')
    expect((await cli.run('cluster delete gone')).stderr).toContain(
      'Cluster gone will be deleted with its 3 nodes and all that runs on them.',
    )
    expect(await cli.run('cluster delete gone --yes --no-wait')).toEqual({
      code: 0,
      stdout: 'cluster/gone is being deleted\n',
      stderr: '',
    })
  })
})

describe('what is wrong', () => {
  it.each<[string, number, RegExp]>([
    [
      'federation show none',
      3,
      /^fedplane: Federation "none" could not be found in your project\.\nTry: fedplane federation list\n$/,
    ],
    ['cluster show ../federations', 3, /could not be found/],
    ['federation create x', 2, /required option '--host <cluster>'/],
    ['federation create x --host none', 3, /Cluster "none" could not be found/],
    ['federation lst', 2, /unknown command 'lst'\n\(Did you mean one of list, ls\?\)/],
    ['federation list -o csv', 2, /-o csv is no format\. It is one of table, wide, json/],
    ['federation update x', 2, /Nothing to change is named\.\nTry: fedplane federation update x --property key=value/],
    ['federation update x --property novalue', 2, /Write key=value\./],
    ['federation list --timeout', 2, /unknown option/],
    ['cluster resize x two', 2, /An integer of 0 or more\./],
    ['federation watch x --timeout soon', 2, /A duration is 90s, 5m or 1h\./],
    ['cluster import nowhere', 2, /There is no context nowhere in .*config\.\nTry: --kubeconfig FILE/],
    ['--profile none cluster list', 2, /There is no profile none\.\nTry: fedplane login none --server URL/],
    ['--server nowhere cluster list', 2, /"nowhere" is no address of a server/],
    ['--server http://127.0.0.1:1 cluster list', 6, /No server answers at http:\/\/127\.0\.0\.1:1\.\nTry: /],
  ])('%s ends with %d', async (line, code, stderr) => {
    expect(await cli.run(line)).toEqual({ code, stdout: '', stderr: expect.stringMatching(stderr) })
  })

  it('takes uuids, odd names and the options of the server before the verb', async () => {
    expect((await cli.run(['cluster', 'show', 'ä/..%2f?x=1'])).code).toBe(3)
    expect((await cli.run(['cluster', 'show', ''])).code).toBe(1)
    expect((await cli.run(`--server ${fedplane.url}/v1/ cluster list`)).code).toBe(0)
  })

  it('has help with an example for each verb', async () => {
    for (const line of ['--help', 'federation --help', 'federation join --help']) {
      const { code, stdout } = await cli.run(line)
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: fedplane/)])
    }
  })
})
