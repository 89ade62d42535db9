import type { Schema } from '../types.ts'
import {
  anything,
  conditions,
  flag,
  intOrText,
  keyed,
  labelSelector,
  list,
  number,
  object,
  quantities,
  text,
  textMap,
  texts,
  withDefault,
} from './build.ts'
import { POD, podTemplate } from './pod.ts'

const workloadStatus: Schema = { ...anything, type: 'object', properties: { conditions } }

const DEPLOYMENT = object({
  spec: object({
    minReadySeconds: number,
    paused: flag,
    progressDeadlineSeconds: number,
    replicas: withDefault(number, 1),
    revisionHistoryLimit: number,
    selector: labelSelector,
    strategy: object({ rollingUpdate: object({ maxSurge: intOrText, maxUnavailable: intOrText }), type: text }),
    template: podTemplate,
  }),
  status: workloadStatus,
})

const CLAIM_SPEC = object({
  accessModes: texts,
  dataSource: anything,
  dataSourceRef: anything,
  resources: object({ limits: quantities, requests: quantities }),
  selector: labelSelector,
  storageClassName: text,
  volumeAttributesClassName: text,
  volumeMode: text,
  volumeName: text,
})
const CLAIM = object({ spec: CLAIM_SPEC, status: workloadStatus })

const STATEFUL_SET = object({
  spec: object({
    minReadySeconds: number,
    ordinals: anything,
    persistentVolumeClaimRetentionPolicy: object({ whenDeleted: text, whenScaled: text }),
    podManagementPolicy: withDefault(text, 'OrderedReady'),
    replicas: withDefault(number, 1),
    revisionHistoryLimit: number,
    selector: labelSelector,
    serviceName: text,
    template: podTemplate,
    updateStrategy: object({ rollingUpdate: anything, type: text }),
    volumeClaimTemplates: list({
      ...object({ apiVersion: text, kind: text, metadata: anything, spec: CLAIM_SPEC, status: anything }),
    }),
  }),
  status: workloadStatus,
})

const SERVICE = object({
  spec: object({
    allocateLoadBalancerNodePorts: flag,
    clusterIP: text,
    clusterIPs: list(text),
    externalIPs: list(text),
    externalName: text,
    externalTrafficPolicy: text,
    healthCheckNodePort: number,
    internalTrafficPolicy: text,
    ipFamilies: list(text),
    ipFamilyPolicy: text,
    loadBalancerClass: text,
    loadBalancerIP: text,
    loadBalancerSourceRanges: list(text),
    ports: keyed(
      ['port', 'protocol'],
      object({
        appProtocol: text,
        name: text,
        nodePort: number,
        port: number,
        protocol: withDefault(text, 'TCP'),
        targetPort: intOrText,
      }),
    ),
    publishNotReadyAddresses: flag,
    selector: textMap,
    sessionAffinity: text,
    sessionAffinityConfig: anything,
    trafficDistribution: text,
    type: text,
  }),
  status: object({ conditions, loadBalancer: anything }),
})

const API_SERVICE = object({
  spec: object({
    caBundle: text,
    group: text,
    groupPriorityMinimum: number,
    insecureSkipTLSVerify: flag,
    service: object({ name: text, namespace: text, port: number }),
    version: text,
    versionPriority: number,
  }),
  status: object({ conditions }),
})

const webhook = object({
  admissionReviewVersions: texts,
  clientConfig: object({
    caBundle: text,
    service: object({ name: text, namespace: text, path: text, port: number }),
    url: text,
  }),
  failurePolicy: text,
  matchConditions: keyed(['name'], anything),
  matchPolicy: text,
  name: text,
  namespaceSelector: labelSelector,
  objectSelector: labelSelector,
  reinvocationPolicy: text,
  rules: list(object({ apiGroups: texts, apiVersions: texts, operations: texts, resources: texts, scope: text })),
  sideEffects: text,
  timeoutSeconds: number,
})
const WEBHOOKS = object({ webhooks: keyed(['name'], webhook) })

const STORAGE_CLASS = object({
  allowVolumeExpansion: flag,
  allowedTopologies: list(anything),
  mountOptions: list(text),
  parameters: textMap,
  provisioner: text,
  reclaimPolicy: text,
  volumeBindingMode: text,
})

const BUDGET = object({
  spec: object({
    maxUnavailable: intOrText,
    minAvailable: intOrText,
    selector: labelSelector,
    unhealthyPodEvictionPolicy: text,
  }),
  status: workloadStatus,
})

/**
 * Schemas of built-in kinds by `group/plural`, without `apiVersion`, `kind` and `metadata`: which fields there are, and which lists
 * server-side apply takes as keyed. Kinds without one are known by their top-level fields only.
 */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  '/pods': POD,
  '/services': SERVICE,
  '/persistentvolumeclaims': CLAIM,
  'apps/deployments': DEPLOYMENT,
  'apps/replicasets': object({ spec: anything, status: workloadStatus }),
  'apps/statefulsets': STATEFUL_SET,
  'storage.k8s.io/storageclasses': STORAGE_CLASS,
  'policy/poddisruptionbudgets': BUDGET,
  'apiregistration.k8s.io/apiservices': API_SERVICE,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': WEBHOOKS,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': WEBHOOKS,
}
