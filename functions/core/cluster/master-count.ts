import { InvalidRequest } from '../errors.ts'

/** The members of etcd vote (magnum-rest.md 4.1). @throws InvalidRequest */
export const requireMasterCountOdd = (count: number): void => {
  if (count % 2 === 1) return
  const why = count === 0 ? 'there must be one at least' : 'of two halves of an even number none has a majority'
  const use = count === 0 ? 'Use 1.' : `Use ${count - 1} or ${count + 1}.`
  throw new InvalidRequest(`"master_count" is ${count}; it must be odd, because ${why}. ${use}`)
}

/** @throws InvalidRequest when several masters have no load balancer in front of them (magnum-rest.md 4.1) */
export const requireMastersReachable = (count: number, masterLbEnabled: boolean | null): void => {
  if (count <= 1 || masterLbEnabled === true) return
  throw new InvalidRequest(
    `"master_count" is ${count}; more than 1 needs a load balancer: "master_lb_enabled" true, here or in the cluster template.`,
  )
}
