import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExecutionRef, FlowInput } from '../../../functions/core/operation/operation.ts'
import { ConcurrencyLimit, type Turn } from '../../../local/engine/concurrency-limit.ts'
import type { Engine } from '../../../local/engine/engine.ts'
import {
  definitionsOf,
  type EngineLab,
  FLOW,
  freshRef,
  gate,
  INPUT,
  openEngineLab,
  task,
  until,
} from '../../support/local/engine-lab.ts'

let lab: EngineLab
beforeAll(async () => {
  lab = await openEngineLab()
})
afterAll(() => lab.stop())

const WORK = { Work: task('Work', { End: true }) }
const freshRefs = (count: number): ExecutionRef[] => Array.from({ length: count }, freshRef)
const isOver = async (engine: Engine, ref: ExecutionRef) => (await engine.describe(ref)) !== 'running'
const allOver = (engine: Engine, refs: readonly ExecutionRef[]) =>
  until(async () => (await Promise.all(refs.map((ref) => isOver(engine, ref)))).every(Boolean))
const entityOf = (payload: unknown): string => (payload as { state: { entityId: string } }).state.entityId
const startAll = (engine: Engine, refs: readonly ExecutionRef[]) =>
  Promise.all(refs.map((ref) => engine.start(ref, { ...INPUT, entityId: ref.name })))

describe('turns of executions', () => {
  it('lets so many run at a time, and all of them in the end', async () => {
    let running = 0
    let most = 0
    const called: string[] = []
    const work = async (payload: unknown) => {
      running += 1
      most = Math.max(most, running)
      called.push(entityOf(payload))
      // The first waits for a second beside it, however slow the machine is; more would have come by then.
      await until(() => most === 2)
      running -= 1
      return { done: true }
    }
    const engine = lab.engine(definitionsOf(WORK), { [FLOW]: work }, undefined, 2)
    const refs = freshRefs(9)
    await startAll(engine, refs)
    await allOver(engine, refs)
    expect(most).toBe(2)
    expect(called.toSorted()).toEqual(refs.map(({ name }) => name).toSorted())
  })

  it('has turns for a project while the steps of another one hang', async () => {
    const hold = gate()
    const [hung, done]: [string[], string[]] = [[], []]
    const work = async (payload: unknown) => {
      const { projectId } = (payload as { state: FlowInput }).state
      if (projectId === 'attacker') {
        hung.push(entityOf(payload))
        await hold.passed
      } else done.push(entityOf(payload))
      return { done: true }
    }
    const engine = lab.engine(definitionsOf(WORK), { [FLOW]: work }, undefined, 16)
    const [theirs, ours] = [freshRefs(60), freshRefs(5)]
    for (const ref of theirs) await engine.start(ref, { ...INPUT, projectId: 'attacker', entityId: ref.name })
    await until(() => hung.length === 16)
    await startAll(engine, ours)
    await allOver(engine, ours)
    expect(done.toSorted()).toEqual(ours.map(({ name }) => name).toSorted())
    expect(hung).toHaveLength(16)
    hold.open()
    await allOver(engine, theirs)
    expect(hung).toHaveLength(60)
  })

  it('serves projects in turn, and each in the order in which its executions came', () => {
    const limit = new ConcurrencyLimit(8)
    const running: { key: string; turn: Turn }[] = []
    const ask = (project: string, count: number): void => {
      for (let index = 1; index <= count; index++) {
        const key = `${project}${index}`
        limit.ask({ key, project }, (turn) => running.push({ key, turn }))
      }
    }
    const begun = () => running.map(({ key }) => key)
    ask('a', 12)
    ask('b', 3)
    ask('c', 3)
    expect(begun()).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'b1', 'c1'])
    for (const { turn } of running.slice(0, 6)) turn.end()
    expect(begun().slice(10)).toEqual(['a9', 'b2', 'c2', 'a10'])
    expect([limit.has('a11'), limit.has('a10')]).toEqual([true, false])
    limit.drop('a11')
    for (const { turn } of running.slice(6)) turn.end()
    expect(begun().slice(14)).toEqual(['b3', 'c3', 'a12'])
  })

  it('passes the turn on while an execution is in a Wait state', async () => {
    const [resting, other] = freshRefs(2) as [ExecutionRef, ExecutionRef]
    const states = {
      Choose: {
        Type: 'Choice',
        Choices: [{ Variable: '$.entityId', StringEquals: resting.name, Next: 'Pause' }],
        Default: 'Work',
      },
      Pause: { Type: 'Wait', Seconds: 3600, Next: 'Work' },
      ...WORK,
    }
    const called: string[] = []
    const work = async (payload: unknown) => {
      called.push(entityOf(payload))
      return { done: true }
    }
    const engine = lab.engine(definitionsOf(states), { [FLOW]: work }, undefined, 1)
    for (const ref of [resting, other]) await startAll(engine, [ref])
    await allOver(engine, [other])
    expect(called).toEqual([other.name])
    await engine.stop(resting, 'enough')
  })

  it('calls nothing for one that was stopped before its turn', async () => {
    const hold = gate()
    const called: string[] = []
    const work = async (payload: unknown) => {
      called.push(entityOf(payload))
      await hold.passed
      return { done: true }
    }
    const engine = lab.engine(definitionsOf(WORK), { [FLOW]: work }, undefined, 1)
    const [first, stopped, last] = freshRefs(3) as [ExecutionRef, ExecutionRef, ExecutionRef]
    for (const ref of [first, stopped, last]) await startAll(engine, [ref])
    await engine.stop(stopped, 'superseded')
    expect(await engine.describe(stopped)).toBe('aborted')
    hold.open()
    await allOver(engine, [first, last])
    expect(called).toEqual([first.name, last.name])
  })

  it('leaves those that wait for their turn to the next process', async () => {
    const hold = gate()
    const called: string[] = []
    const holding = async (payload: unknown) => {
      called.push(entityOf(payload))
      await hold.passed
      return { done: true }
    }
    const before = lab.engine(definitionsOf(WORK), { [FLOW]: holding }, undefined, 1)
    const [first, waiting] = freshRefs(2) as [ExecutionRef, ExecutionRef]
    for (const ref of [first, waiting]) await startAll(before, [ref])
    await until(() => called.length === 1)
    expect(await before.resume()).toBe(0)
    await Promise.all([before.close(), hold.open()])
    expect(called).toEqual([first.name])
    const after = lab.engine(definitionsOf(WORK), { [FLOW]: holding }, undefined, 1)
    await after.resume()
    await allOver(after, [waiting])
    expect(called).toContain(waiting.name)
  })
})
