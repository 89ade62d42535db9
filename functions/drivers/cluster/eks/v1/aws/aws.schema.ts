import * as z from 'zod'

/** What we read of EKS's DescribeCluster. Endpoint and authority are there once the cluster is ACTIVE. */
export const DescribeClusterAnswer = z.object({
  cluster: z.object({
    status: z.string().max(64),
    endpoint: z.string().startsWith('https://').max(2048).optional(),
    certificateAuthority: z
      .object({
        data: z
          .string()
          .min(1)
          .max(64 * 1024),
      })
      .optional(),
  }),
})

/** An error in JSON: the services do not agree on its keys. */
export const ErrorAnswer = z.object({
  __type: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  Message: z.string().optional(),
})
