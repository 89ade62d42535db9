import { afterEach, describe, expect, it } from 'vitest'
import { Job } from '../../../local/schedule/job.ts'
import { gate, keptLog, until } from '../../support/local/engine-lab.ts'

const jobs: Job[] = []
afterEach(async () => {
  await Promise.all(jobs.splice(0).map((job) => job.close()))
})

const job = (run: () => Promise<unknown>, everyMs = 3_600_000, log = keptLog()): Job => {
  const made = new Job({ name: 'test', everyMs, run, log })
  jobs.push(made)
  return made
}

describe('Job', () => {
  it('runs at once and at its interval', async () => {
    let runs = 0
    job(async () => ++runs, 5)
    expect(runs).toBe(1)
    await until(() => runs >= 3)
  })

  it('never runs twice at the same time, and once more when it was asked for meanwhile', async () => {
    let running = 0
    let runs = 0
    const holds = [gate(), gate()]
    const made = job(async () => {
      running += 1
      expect(running).toBe(1)
      await holds[runs++]?.passed
      running -= 1
    }, 5)
    made.trigger()
    made.trigger()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(runs).toBe(1)
    holds[0]?.open()
    await until(() => runs === 2)
    holds[1]?.open()
  })

  it('logs an error and runs again', async () => {
    const log = keptLog()
    let runs = 0
    const made = job(
      async () => {
        runs += 1
        if (runs === 1) throw new Error('first')
      },
      3_600_000,
      log,
    )
    await until(() => log.lines.length > 0)
    made.trigger()
    await until(() => runs === 2)
    expect(log.lines).toEqual([expect.objectContaining({ level: 'error' })])
  })

  it('waits for the run under way when it closes, and starts none after', async () => {
    const hold = gate()
    let runs = 0
    const made = job(async () => {
      runs += 1
      await hold.passed
    })
    made.trigger()
    let closed = false
    const closing = made.close().then(() => {
      closed = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(closed).toBe(false)
    hold.open()
    await closing
    made.trigger()
    expect(runs).toBe(1)
  })
})
