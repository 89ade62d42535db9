import * as z from 'zod'
import { COMPONENTS } from '../names.ts'
import type { Encryption } from './encryption.ts'

/** Name of the sealed document (`sealed` of a step's result). */
export const PKI = 'pki'

/** Three authorities, as upstream has them (federation-control-planes.md 1.3). */
export const AUTHORITIES = ['karmada', 'etcd', 'front-proxy'] as const
export type Authority = (typeof AUTHORITIES)[number]

/**
 * Certificates that are signed by an authority: servers, and one client identity per component. `admin` is fedplane's own, and signs
 * nothing.
 */
export const LEAVES = [
  'apiserver',
  'aggregated-apiserver-server',
  'webhook-server',
  'etcd-server',
  'etcd-client',
  'front-proxy-client',
  'admin',
  ...COMPONENTS,
] as const
export type Leaf = (typeof LEAVES)[number]

const Pair = z.object({
  /** PEM. */
  certificate: z.string(),
  /** PEM, PKCS #8. */
  key: z.string(),
})
export type Pair = z.infer<typeof Pair>

/** All certificates and keys of one control plane. Sealed as JSON: it holds the authorities' keys, which are in no Secret of the host. */
export const Pki = z.object({
  authorities: z.record(z.enum(AUTHORITIES), Pair),
  leaves: z.record(z.enum(LEAVES), Pair),
  /** Signs service-account tokens; apart from all certificates, so that their renewal invalidates no token. PEM both. */
  serviceAccount: z.object({ publicKey: z.string(), key: z.string() }),
})
/** With the key of Secrets in etcd, which is a document of its own (`encryption.ts`); absent before a control plane has one. */
export type Pki = z.infer<typeof Pki> & { encryption?: Encryption }
