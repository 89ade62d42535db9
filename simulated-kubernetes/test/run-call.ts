import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Answer, at, type Call, fill, type Memory, type Subject, send, statusView } from './call.ts'

const EVENTUALLY_MS = 30_000

const check = (answer: Answer, { expected }: Call, namespace: string, memory: Memory): void => {
  const whole = answer.text.slice(0, 600)
  expect(answer.status, whole).toBe(expected.status)
  const view = statusView(answer.body)
  if (expected.reason !== undefined) expect(view.reason ?? null, whole).toBe(expected.reason)
  if (expected.causes !== undefined) expect(view.causes, whole).toEqual(expected.causes)
  if (expected.text !== undefined) expect(answer.text.trim()).toBe(expected.text)
  if (expected.body !== undefined) expect(answer.body).toMatchObject(filled(expected.body, namespace, memory))
  for (const path of expected.absent ?? []) expect(at(answer.body, path), `${path} of ${whole}`).toBeUndefined()
}

/** Fills texts in a matcher tree, and keeps asymmetric matchers. */
const filled = (value: unknown, namespace: string, memory: Memory): never => {
  const inner = (part: unknown): unknown => {
    if (typeof part === 'string') return fill(part, namespace, memory)
    if (Array.isArray(part)) return part.map(inner)
    if (typeof part !== 'object' || part === null || 'asymmetricMatch' in part) return part
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [fill(key, namespace, memory), inner(child)]))
  }
  return inner(value) as never
}

/** Makes a call and holds the answer to what is expected. */
export const runCall = async (call: Call, subject: Subject, namespace: string, memory: Memory): Promise<Answer> => {
  const deadline = Date.now() + EVENTUALLY_MS
  for (;;) {
    const answer = await send(call, subject, namespace, memory)
    try {
      check(answer, call, namespace, memory)
      for (const [path, key] of Object.entries(call.remember ?? {})) memory.set(key, String(at(answer.body, path)))
      return answer
    } catch (error) {
      if (call.eventually !== true || Date.now() > deadline) throw error
      await delay(100)
    }
  }
}
