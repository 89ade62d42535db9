import * as z from 'zod'
import type { Federation } from '../../../../core/federation/federation.ts'

/** What the driver notes about a federation in `driverState`; nothing of it is secret. */
export const KarmadaState = z.object({
  /** Address of the API server as clients and members use it: `https://host:port`. Known once the Service has one. */
  endpoint: z.url().optional(),
  /**
   * Hosts of kubeconfigs that may be out, and those of the Service itself, newest last: they stay in the certificate when `api-endpoint` moves the
   * address.
   */
  hosts: z.array(z.string()).optional(),
  /** True when the host gives its Services IPv6 addresses. */
  isIpv6: z.boolean().optional(),
})
export type KarmadaState = z.infer<typeof KarmadaState>

/** The notes of a federation. */
export const stateOf = ({ driverState }: Pick<Federation, 'driverState'>): KarmadaState =>
  KarmadaState.parse(driverState)
