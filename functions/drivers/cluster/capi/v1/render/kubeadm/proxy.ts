import type { ClusterTemplateSpec } from '../../../../../../core/cluster/cluster-template.ts'
import type { KubeadmFile } from './file.ts'

type ProxySpec = Pick<ClusterTemplateSpec, 'httpProxy' | 'httpsProxy' | 'noProxy' | 'clusterDistro'>

/** systemd takes "%" for the begin of a specifier, and drops a line with one that it does not know: passwords in addresses have such. */
const literally = (value: string): string => value.replaceAll('%', '%%')

const unit = (lines: readonly string[]): string => `[Service]\n${lines.join('\n')}\n`

const aptLine = (scheme: 'http' | 'https', url: string | null): string[] =>
  url === null || url === '' ? [] : [`Acquire::${scheme}::Proxy "${url}";`]

const hasApt = ({ clusterDistro }: ProxySpec): boolean => !['flatcar', 'rockylinux'].includes(clusterDistro ?? 'ubuntu')

/** Proxies of a template, for containerd and for apt. Empty when it names none. `check` has refused what would break out of the quotes. */
export const proxyFiles = (spec: ProxySpec | undefined): KubeadmFile[] => {
  if (spec === undefined) return []
  const { httpProxy, httpsProxy, noProxy } = spec
  const variables = { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy }
  const lines = Object.entries(variables).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [`Environment="${name}=${literally(value)}"`],
  )
  const apt = hasApt(spec) ? [...aptLine('http', httpProxy), ...aptLine('https', httpsProxy)] : []
  return [
    ...(lines.length === 0
      ? []
      : [{ path: '/etc/systemd/system/containerd.service.d/http-proxy.conf', content: unit(lines) }]),
    ...(apt.length === 0 ? [] : [{ path: '/etc/apt/apt.conf.d/90proxy', content: `${apt.join('\n')}\n` }]),
  ]
}
