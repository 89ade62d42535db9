import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { CONTROLLER_MANAGER, KUBE_CONTROLLER_MANAGER, SCHEDULER, SYSTEM_NAMESPACE, WEBHOOK } from '../model/names.ts'
import type { Pki } from '../pki/pki.schema.ts'
import { anyAddress, type HostPlan, karmadaImage, kubeImage } from './plan.ts'
import { CONFIG_PATH, deploymentOf, KUBECONFIG_PATH, pkiPath } from './pod.ts'
import { configSecret, SERVICE_ACCOUNT_KEYS, WEBHOOK_CERT } from './secrets.ts'

const KUBE_CONTROLLER_MANAGER_PORT = 10257
const SCHEDULER_HEALTH_PORT = 10351
const CONTROLLER_MANAGER_HEALTH_PORT = 10357
const WEBHOOK_PORT = 8443
const METRICS_PORT = 8080

/** What works for the control plane itself. Without csrsigning and its like: fedplane signs, so no key of an authority is in the host. */
const KUBE_CONTROLLERS = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-token-controller',
  'ttl-after-finished-controller',
  'clusterrole-aggregation-controller',
]

/**
 * Requests a second to the control plane, and at once. The defaults (20 and 30; 40 and 60) are slower than joins and unjoins of many members at a
 * time: the end of one namespace takes some 60 requests, as many as there are kinds of objects. The API server's own fairness stays.
 */
const RATES = ['--kube-api-qps=200', '--kube-api-burst=400']

const LEADER = ['--leader-elect=true', `--leader-elect-resource-namespace=${SYSTEM_NAMESPACE}`]
const METRICS = `--metrics-bind-address=:${METRICS_PORT}`
const KUBECONFIG = `--kubeconfig=${KUBECONFIG_PATH}`

const config = (component: Parameters<typeof configSecret>[0]) => ({
  secret: configSecret(component),
  path: CONFIG_PATH,
})

const http = (path: string, port: number) => ({ path, port, scheme: 'HTTP' as const })
const https = (path: string, port: number) => ({ path, port, scheme: 'HTTPS' as const })

const kubeControllerManager = (plan: HostPlan, pki: Pki): Manifest<'Deployment'> =>
  deploymentOf(plan, pki, {
    component: KUBE_CONTROLLER_MANAGER,
    image: kubeImage(plan.properties, 'kube-controller-manager'),
    command: [
      'kube-controller-manager',
      KUBECONFIG,
      `--authentication-kubeconfig=${KUBECONFIG_PATH}`,
      `--authorization-kubeconfig=${KUBECONFIG_PATH}`,
      `--bind-address=${anyAddress(plan)}`,
      '--cluster-name=karmada-apiserver',
      `--controllers=${KUBE_CONTROLLERS.join(',')}`,
      ...LEADER,
      ...RATES,
      `--root-ca-file=${CONFIG_PATH}/ca.crt`,
      `--service-account-private-key-file=${pkiPath(SERVICE_ACCOUNT_KEYS)}/sa.key`,
      '--use-service-account-credentials=true',
    ],
    ports: [{ name: 'https', port: KUBE_CONTROLLER_MANAGER_PORT }],
    secrets: [config(KUBE_CONTROLLER_MANAGER), { secret: SERVICE_ACCOUNT_KEYS, path: pkiPath(SERVICE_ACCOUNT_KEYS) }],
    ready: https('/healthz', KUBE_CONTROLLER_MANAGER_PORT),
    alive: https('/healthz', KUBE_CONTROLLER_MANAGER_PORT),
    aliveDelaySeconds: 15,
    requests: { cpu: '25m', memory: '64Mi' },
  })

/** Without estimators: they are processes beside each member, which this driver does not install. */
const scheduler = (plan: HostPlan, pki: Pki): Manifest<'Deployment'> =>
  deploymentOf(plan, pki, {
    component: SCHEDULER,
    image: karmadaImage(plan.properties, SCHEDULER),
    command: [
      `/bin/${SCHEDULER}`,
      KUBECONFIG,
      METRICS,
      `--health-probe-bind-address=:${SCHEDULER_HEALTH_PORT}`,
      '--enable-scheduler-estimator=false',
      ...LEADER,
    ],
    ports: [{ name: 'metrics', port: METRICS_PORT }],
    secrets: [config(SCHEDULER)],
    ready: http('/healthz', SCHEDULER_HEALTH_PORT),
    alive: http('/healthz', SCHEDULER_HEALTH_PORT),
    aliveDelaySeconds: 15,
    requests: { cpu: '25m', memory: '64Mi' },
  })

const controllerManager = (plan: HostPlan, pki: Pki): Manifest<'Deployment'> =>
  deploymentOf(plan, pki, {
    component: CONTROLLER_MANAGER,
    image: karmadaImage(plan.properties, CONTROLLER_MANAGER),
    command: [
      `/bin/${CONTROLLER_MANAGER}`,
      KUBECONFIG,
      METRICS,
      `--health-probe-bind-address=:${CONTROLLER_MANAGER_HEALTH_PORT}`,
      '--cluster-status-update-frequency=10s',
      ...LEADER,
      ...RATES,
      // To each member; default 40 and 60.
      '--cluster-api-qps=100',
      '--cluster-api-burst=200',
      // Members whose state is checked in parallel; default 5.
      '--concurrent-cluster-syncs=10',
      // Retries a second of each controller's queue; default 10, which a few members at once use up.
      '--rate-limiter-qps=100',
      '--rate-limiter-bucket-size=500',
    ],
    ports: [{ name: 'metrics', port: METRICS_PORT }],
    secrets: [config(CONTROLLER_MANAGER)],
    ready: http('/healthz', CONTROLLER_MANAGER_HEALTH_PORT),
    alive: http('/healthz', CONTROLLER_MANAGER_HEALTH_PORT),
    aliveDelaySeconds: 15,
    requests: { cpu: '50m', memory: '128Mi' },
  })

const webhook = (plan: HostPlan, pki: Pki): Manifest<'Deployment'> =>
  deploymentOf(plan, pki, {
    component: WEBHOOK,
    image: karmadaImage(plan.properties, WEBHOOK),
    command: [
      `/bin/${WEBHOOK}`,
      KUBECONFIG,
      METRICS,
      `--bind-address=${anyAddress(plan)}`,
      // It registers no check there, so that every path answers 404.
      '--health-probe-bind-address=0',
      `--secure-port=${WEBHOOK_PORT}`,
      `--cert-dir=${pkiPath(WEBHOOK_CERT)}`,
    ],
    ports: [
      { name: 'https', port: WEBHOOK_PORT },
      { name: 'metrics', port: METRICS_PORT },
    ],
    secrets: [config(WEBHOOK), { secret: WEBHOOK_CERT, path: pkiPath(WEBHOOK_CERT) }],
    // The server of the webhooks itself is the only one that says how it is, and without the last stroke it redirects.
    ready: https('/readyz/', WEBHOOK_PORT),
    alive: https('/readyz/', WEBHOOK_PORT),
    aliveDelaySeconds: 15,
    requests: { cpu: '25m', memory: '64Mi' },
  })

/** What makes the control plane work, all at once: none needs another to become ready. */
export const controllerManifests = (plan: HostPlan, pki: Pki): Manifest<'Deployment'>[] =>
  [kubeControllerManager, scheduler, controllerManager, webhook].map((manifest) => manifest(plan, pki))
