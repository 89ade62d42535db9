/** Who makes the machines: OpenStack through CAPO, or nobody (Cluster API's in-memory development provider). */
export const INFRASTRUCTURES = ['openstack', 'dev'] as const
export type Infrastructure = (typeof INFRASTRUCTURES)[number]

/** As a management cluster's registration says it; undefined when it says nothing that this version knows. */
export const infrastructureOf = (options: Readonly<Record<string, string>>): Infrastructure | undefined =>
  INFRASTRUCTURES.find((name) => name === options.infrastructure)
