import {
  anything,
  flag,
  intOrText,
  keyed,
  list,
  number,
  object,
  quantities,
  text,
  textMap,
  texts,
  withDefault,
} from './build.ts'

const securityContext = object({
  allowPrivilegeEscalation: flag,
  appArmorProfile: anything,
  capabilities: object({ add: texts, drop: texts }),
  privileged: flag,
  procMount: text,
  readOnlyRootFilesystem: flag,
  runAsGroup: number,
  runAsNonRoot: flag,
  runAsUser: number,
  seLinuxOptions: anything,
  seccompProfile: object({ type: text, localhostProfile: text }),
})

const podSecurityContext = object({
  appArmorProfile: anything,
  fsGroup: number,
  fsGroupChangePolicy: text,
  runAsGroup: number,
  runAsNonRoot: flag,
  runAsUser: number,
  seLinuxOptions: anything,
  seccompProfile: object({ type: text, localhostProfile: text }),
  supplementalGroups: list(number),
  supplementalGroupsPolicy: text,
  sysctls: list(anything),
})

const httpGet = object({
  host: text,
  httpHeaders: list(object({ name: text, value: text })),
  path: text,
  port: intOrText,
  scheme: text,
})

const probe = object({
  exec: object({ command: texts }),
  failureThreshold: number,
  grpc: object({ port: number, service: text }),
  httpGet,
  initialDelaySeconds: number,
  periodSeconds: number,
  successThreshold: number,
  tcpSocket: object({ host: text, port: intOrText }),
  terminationGracePeriodSeconds: number,
  timeoutSeconds: number,
})

const env = object({
  name: text,
  value: text,
  valueFrom: object({
    configMapKeyRef: object({ key: text, name: text, optional: flag }),
    fieldRef: object({ apiVersion: text, fieldPath: text }),
    resourceFieldRef: anything,
    secretKeyRef: object({ key: text, name: text, optional: flag }),
  }),
})

const container = object({
  args: texts,
  command: texts,
  env: keyed(['name'], env),
  envFrom: list(anything),
  image: text,
  imagePullPolicy: text,
  lifecycle: anything,
  livenessProbe: probe,
  name: text,
  ports: keyed(
    ['containerPort', 'protocol'],
    object({ containerPort: number, hostIP: text, hostPort: number, name: text, protocol: withDefault(text, 'TCP') }),
  ),
  readinessProbe: probe,
  resources: object({ claims: list(anything), limits: quantities, requests: quantities }),
  restartPolicy: text,
  securityContext,
  startupProbe: probe,
  stdin: flag,
  terminationMessagePath: text,
  terminationMessagePolicy: text,
  tty: flag,
  volumeMounts: keyed(
    ['mountPath'],
    object({ mountPath: text, mountPropagation: text, name: text, readOnly: flag, subPath: text, subPathExpr: text }),
  ),
  workingDir: text,
})

const items = list(object({ key: text, mode: number, path: text }))
const volume = object({
  configMap: object({ defaultMode: number, items, name: text, optional: flag }),
  csi: anything,
  downwardAPI: anything,
  emptyDir: object({ medium: text, sizeLimit: intOrText }),
  ephemeral: anything,
  hostPath: object({ path: text, type: text }),
  name: text,
  persistentVolumeClaim: object({ claimName: text, readOnly: flag }),
  projected: object({ defaultMode: number, sources: list(anything) }),
  secret: object({ defaultMode: number, items, optional: flag, secretName: text }),
})

/** `PodSpec`: fields of Kubernetes 1.36 that workloads use; a field that is not here is unknown. */
const podSpec = object({
  activeDeadlineSeconds: number,
  affinity: object({ nodeAffinity: anything, podAffinity: anything, podAntiAffinity: anything }),
  automountServiceAccountToken: flag,
  containers: keyed(['name'], container),
  dnsConfig: anything,
  dnsPolicy: text,
  enableServiceLinks: flag,
  hostAliases: keyed(['ip'], anything),
  hostIPC: flag,
  hostNetwork: flag,
  hostPID: flag,
  hostUsers: flag,
  hostname: text,
  imagePullSecrets: keyed(['name'], object({ name: text })),
  initContainers: keyed(['name'], container),
  nodeName: text,
  nodeSelector: textMap,
  os: anything,
  priorityClassName: text,
  restartPolicy: text,
  runtimeClassName: text,
  schedulerName: text,
  securityContext: podSecurityContext,
  serviceAccount: text,
  serviceAccountName: text,
  shareProcessNamespace: flag,
  subdomain: text,
  terminationGracePeriodSeconds: number,
  tolerations: list(object({ effect: text, key: text, operator: text, tolerationSeconds: number, value: text })),
  topologySpreadConstraints: keyed(['topologyKey', 'whenUnsatisfiable'], anything),
  volumes: keyed(['name'], volume),
})

export const podTemplate = object({ metadata: anything, spec: podSpec })

export const POD = object({ spec: podSpec, status: anything })
