import * as z from 'zod'
import type { KubernetesObject } from '../../../functions/kubernetes/client.ts'

const Container = z.looseObject({
  image: z.string(),
  command: z.array(z.string()),
  volumeMounts: z.array(z.looseObject({ mountPath: z.string() })),
  securityContext: z.looseObject({
    capabilities: z.object({ drop: z.array(z.string()), add: z.array(z.string()).optional() }),
  }),
})

const Template = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()), labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({
    automountServiceAccountToken: z.boolean(),
    imagePullSecrets: z.array(z.object({ name: z.string() })),
    priorityClassName: z.string().optional(),
    affinity: z.object({ podAntiAffinity: z.record(z.string(), z.unknown()) }),
    securityContext: z.looseObject({ runAsUser: z.number() }),
    containers: z.array(Container),
    volumes: z.array(z.looseObject({ secret: z.looseObject({ secretName: z.string() }).optional() })),
  }),
})
export type PodTemplate = z.infer<typeof Template>

/** The pod template of a Deployment or StatefulSet, as far as tests check it. */
export const templateOf = ({ spec }: KubernetesObject): PodTemplate =>
  z.object({ template: Template }).parse(spec).template
