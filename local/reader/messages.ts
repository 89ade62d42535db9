import type { KubernetesClient, ReadLimits } from '../../functions/kubernetes/client.ts'

/** Calls that read, and that may be made again in another thread. */
export const READS = [
  'get',
  'list',
  'raw',
  'version',
  'readHealth',
  'reach',
] as const satisfies readonly (keyof KubernetesClient)[]
export type Read = (typeof READS)[number]

/** To the reader. */
export type Asked =
  /** `connection`: as `encodeConnection` has it; holds a credential. */
  | { kind: 'open'; client: number; connection: string; limits: ReadLimits | undefined }
  | { kind: 'call'; id: number; client: number; method: Read; given: readonly unknown[] }
  | { kind: 'close'; client: number }

/** An error of ours without its class, which its name stands for. */
export type SentError = { name: string; message: string; details: Readonly<Record<string, unknown>> }

/** From the reader. */
export type Answered = { id: number; value: unknown } | { id: number; error: SentError }
