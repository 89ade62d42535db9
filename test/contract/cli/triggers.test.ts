import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { CommandLine } from '../../support/cli/command-line.ts'
import { keptLog } from '../../support/local/engine-lab.ts'
import { Receiver } from '../../support/triggers.ts'

/** Events and triggers on the command line, against the real server. */

describe('fedplane events and trigger', () => {
  let fedplane: Fedplane
  let cli: CommandLine
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await new Receiver().start()
    fedplane = await startFedplane({ drivers: { enabledCluster: ['memory@1'] }, log: keptLog() })
    cli = new CommandLine({ FEDPLANE_SERVER: fedplane.url })
  })
  afterAll(async () => {
    await fedplane.close()
    await receiver.close()
    cli.close()
  })

  const done = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await cli.run(line)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const received = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (receiver.got.length >= count) resolve()
      }
      receiver.onMessage = look
      look()
    })

  it('creates a trigger, tests it, and replays what was sent', async () => {
    const made = await done(
      `trigger create pager --url ${receiver.url} --event cluster.* --event *.failure --outcome success`,
    )
    expect(made).toMatch(/^trigger\/pager created\nsecret whsec_\S+\n$/)
    expect(await done('trigger list')).toMatch(/^NAME +EVENTS +TARGET\npager +cluster\.\*,\*\.failure +http:\S+\n$/)
    expect(await done('trigger show pager')).toMatch(/^Filter: +outcome=success$/m)
    expect(await done('trigger show pager -o json')).not.toContain('whsec_')
    const [, id] = /^delivery\/(\S+) begun\n/.exec(await done('trigger test pager')) ?? []
    await received(1)
    // The delivery is stored as delivered after the receiver has answered.
    const listed = async () => JSON.parse(await done('trigger deliveries pager -o json')).deliveries
    while ((await listed())[0].state === 'pending');
    expect(await done('trigger deliveries pager')).toMatch(
      / +delivered +fedplane\.trigger\.test +1 +The receiver answered 204\.\n/,
    )
    expect(await done(`trigger replay pager ${id}`)).toMatch(/^delivery\/\S+ begun\n$/)
    await received(2)
    expect(await done('trigger rotate-secret pager')).toMatch(/^secret whsec_\S+\n$/)
    expect(await done('trigger delete pager --yes')).toBe('trigger/pager deleted\n')
  })

  it('refuses what is no outcome, and no https elsewhere', async () => {
    const { code, stderr } = await cli.run('trigger create x --url http://example.org/ --event *')
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('must begin with https://')])
    expect((await cli.run('trigger create x --url https://example.org/ --event * --outcome maybe')).code).not.toBe(0)
    expect((await cli.run('trigger create x --url https://example.org/')).stderr).toContain('--event')
  })

  it('lists what happened in the project, from a time on', async () => {
    await done('template create t --driver memory@1 --image none')
    await done('cluster create paris --template t')
    const events = async (more = '') => JSON.parse(await done(`events -o json${more}`)).events
    const isCreated = async () =>
      (await events()).some(({ type }: { type: string }) => type === 'cluster.create.success')
    while (!(await isCreated()));
    expect(await done('events')).toMatch(/ +cluster\.create\.success +paris +/)
    const [first] = await events()
    expect((await events(` --since ${first.cursor}`))[0].cursor).not.toBe(first.cursor)
    expect(await events(' --since 2999-01-01T00:00:00Z')).toEqual([])
  })
})
