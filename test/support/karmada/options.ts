import type { KarmadaOptions } from '../../../functions/drivers/federation/karmada/v1/model/options.ts'

/** Patience for simulated clusters, in which whatever happens at all happens within a moment. */
export const QUICK: Partial<KarmadaOptions> = { restartSettleSeconds: 0, restartIntervalSeconds: 0 }
