import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import type { ProgramName } from './components.ts'
import { type Program, ProgramFault } from './mounted-files.ts'

/** Where a program says how it is, and the paths that it answers with 200 or a redirect to one; all others are 404. */
type Health = { scheme: 'HTTP' | 'HTTPS'; port(program: Program): number; paths: readonly string[] }

/** Port of `:8000`, `0.0.0.0:8000` or `http://0.0.0.0:8000`. */
const portIn = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1))

const securePort = (program: Program): number => Number(program.flag('secure-port'))
const healthPort = (program: Program): number => portIn(program.flag('health-probe-bind-address'))

const OF_API_SERVERS: Health = { scheme: 'HTTPS', port: securePort, paths: ['/readyz', '/livez', '/healthz'] }
const OF_KARMADA: Health = { scheme: 'HTTP', port: healthPort, paths: ['/healthz'] }

/** Asked of the real programs (Karmada 1.18.2, Kubernetes 1.36.3, etcd 3.6.16) in the pods of this driver. */
const HEALTH: Readonly<Record<ProgramName, Health>> = {
  etcd: {
    scheme: 'HTTP',
    port: (program) => portIn(program.flag('listen-metrics-urls')),
    paths: ['/readyz', '/livez'],
  },
  'karmada-apiserver': OF_API_SERVERS,
  'karmada-aggregated-apiserver': OF_API_SERVERS,
  'kube-controller-manager': { scheme: 'HTTPS', port: () => 10_257, paths: ['/healthz'] },
  'karmada-scheduler': OF_KARMADA,
  'karmada-controller-manager': OF_KARMADA,
  // It registers no check at its health address, where every path is 404.
  'karmada-webhook': { scheme: 'HTTPS', port: securePort, paths: ['/readyz', '/readyz/'] },
}

type Get = { path: string; port: number; scheme: string }
type Container = Partial<Record<'readinessProbe' | 'livenessProbe', { httpGet: Get }>>
const PROBES = { readinessProbe: 'Readiness', livenessProbe: 'Liveness' } as const

/** What the kubelet meets. @throws ProgramFault for a probe that the program does not answer: it is never Ready, or killed again and again */
export const requireProbes = ({ metadata, spec }: ApiObject, program: Program): void => {
  const { containers } = (spec as { template: { spec: { containers: Container[] } } }).template.spec
  const { scheme, port, paths } = HEALTH[metadata.name as ProgramName]
  for (const [key, name] of Object.entries(PROBES)) {
    const get = containers[0]?.[key as keyof typeof PROBES]?.httpGet
    if (get === undefined) continue
    if (get.scheme !== scheme || get.port !== port(program)) {
      throw new ProgramFault(`${name} probe failed: Get "${get.scheme}:${get.port}${get.path}": connection refused`)
    }
    if (!paths.includes(get.path))
      throw new ProgramFault(`${name} probe failed: HTTP probe failed with statuscode: 404`)
  }
}
