import type { ClusterTemplateSpec } from '../../../../../core/cluster/cluster-template.ts'
import { isMaster, type NodeGroup, type NodeTaint } from '../../../../../core/cluster/node-group.ts'
import type { Json, JsonObject } from '../../../../../core/values/json.ts'
import { isLabelValue } from '../../../../../core/values/kubernetes.ts'
import { compact, type DesiredGroup, type Disk, deviceOf, disksOf, type Sparse } from './plan.ts'

/** A file of a machine, written before kubeadm runs. Belongs to root, readable by all: nothing confidential. */
export type KubeadmFile = { path: string; content: string }

/** As kubeadm's configuration has it. */
const asFile = ({ path, content }: KubeadmFile) => ({ path, content, owner: 'root:root', permissions: '0644' })

/** Labels of nodes that Magnum's own drivers set; workloads select nodes of a group by them. */
const ROLE_LABEL = 'magnum.openstack.org/role'
const GROUP_LABEL = 'magnum.openstack.org/nodegroup'

const NODE_LABELS = 'node-labels'

/** What kubeadm gives a control plane when no taints are said; said ones replace it. */
const CONTROL_PLANE_TAINT: NodeTaint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }

/** Labels of a group's nodes: its own, and which group it is. */
export const nodeLabelsOf = ({ name, role, nodeLabels }: NodeGroup): Record<string, string> => ({
  [ROLE_LABEL]: isLabelValue(role) ? role : 'worker',
  ...(isLabelValue(name) ? { [GROUP_LABEL]: name } : {}),
  ...nodeLabels,
})

const taintsOf = (group: NodeGroup): readonly NodeTaint[] =>
  isMaster(group) && group.nodeTaints.length > 0 ? [CONTROL_PLANE_TAINT, ...group.nodeTaints] : group.nodeTaints

const isNodeLabels = (argument: Json): boolean =>
  typeof argument === 'object' && argument !== null && !Array.isArray(argument) && argument.name === NODE_LABELS

/**
 * A `nodeRegistration` with the group's labels and taints, all else as it was. They are set by the kubelet when it joins: Cluster API's own `taints` need a
 * feature gate that is off (alpha in 1.13), and it keeps only labels of a few prefixes on nodes. So another label means other machines.
 */
const withMarks = (registration: JsonObject, group: NodeGroup): JsonObject => {
  const given = Array.isArray(registration.kubeletExtraArgs) ? registration.kubeletExtraArgs : []
  const value = Object.entries(nodeLabelsOf(group))
    .map(([key, text]) => `${key}=${text}`)
    .join(',')
  const { taints: _, ...rest } = registration
  return {
    ...rest,
    kubeletExtraArgs: [...given.filter((argument) => !isNodeLabels(argument)), { name: NODE_LABELS, value }],
    ...compact({ taints: taintsOf(group).map(({ key, value: text, effect }) => ({ key, value: text, effect })) }),
  }
}

const asObject = (value: Json | undefined): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined

/** A kubeadm configuration with the group's labels and taints, wherever it registers a node. */
export const configWithMarks = (config: JsonObject, group: NodeGroup): JsonObject => {
  const parts = ['initConfiguration', 'joinConfiguration'].flatMap((part): [string, JsonObject][] => {
    const section = asObject(config[part])
    const registration = asObject(section?.nodeRegistration)
    if (section === undefined || registration === undefined) return []
    return [[part, { ...section, nodeRegistration: withMarks(registration, group) }]]
  })
  return { ...config, ...Object.fromEntries(parts) }
}

type ProxySpec = Pick<ClusterTemplateSpec, 'httpProxy' | 'httpsProxy' | 'noProxy' | 'clusterDistro'>

/** systemd takes "%" for the begin of a specifier, and drops a line with one that it does not know: passwords in addresses have such. */
const literally = (value: string): string => value.replaceAll('%', '%%')

const unit = (lines: readonly string[]): string => `[Service]\n${lines.join('\n')}\n`

const aptLine = (scheme: 'http' | 'https', url: string | null): string[] =>
  url === null || url === '' ? [] : [`Acquire::${scheme}::Proxy "${url}";`]

const hasApt = ({ clusterDistro }: ProxySpec): boolean => !['flatcar', 'rockylinux'].includes(clusterDistro ?? 'ubuntu')

/** Proxies of a template, for containerd and for apt. Empty when it names none. `check` has refused what would break out of the quotes. */
const proxyFiles = (spec: ProxySpec | undefined): KubeadmFile[] => {
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

/** Kubeadm of machines with cloud-init, and of Flatcar, which has Ignition (CAPO's templates `default` and `flatcar`). */
type Boot = { name: string; providerId: string; commands: readonly string[] }

const CLOUD_INIT: Boot = {
  name: '{{ local_hostname }}',
  providerId: "openstack:///'{{ instance_id }}'",
  commands: [],
}

/** A variable of the shell, which envsubst and the shell itself replace. */
const shell = (name: string): string => `\${${name}}`

const HOST = 'COREOS_OPENSTACK_HOSTNAME'
const INSTANCE = 'COREOS_OPENSTACK_INSTANCE_UUID'

const IGNITION: Boot = {
  name: shell(HOST),
  providerId: `openstack:///${shell(INSTANCE)}`,
  commands: [
    `export ${HOST}=${shell(`${HOST}%.*`)}`,
    `export ${INSTANCE}=${shell(INSTANCE)}`,
    'envsubst < /etc/kubeadm.yml > /etc/kubeadm.yml.tmp',
    'mv /etc/kubeadm.yml.tmp /etc/kubeadm.yml',
  ],
}

/** Gives kubeadm the machine's metadata. */
const FLATCAR_UNITS = `systemd:
  units:
  - name: coreos-metadata-sshkeys@.service
    enabled: true
  - name: kubeadm.service
    enabled: true
    dropins:
    - name: 10-flatcar.conf
      contents: |
        [Unit]
        Requires=containerd.service coreos-metadata.service
        After=containerd.service coreos-metadata.service
        [Service]
        EnvironmentFile=/run/metadata/flatcar
`

const isFlatcar = ({ spec, plan }: DesiredGroup): boolean =>
  plan.infrastructure === 'openstack' && spec?.clusterDistro === 'flatcar'

/** How a machine of the group becomes a node. */
export const nodeRegistration = (desired: DesiredGroup): JsonObject => {
  const boot = isFlatcar(desired) ? IGNITION : CLOUD_INIT
  const isOpenStack = desired.plan.infrastructure === 'openstack'
  const ciphers = desired.own.kubelet_tls_cipher_suites?.join(',')
  const registration = compact({
    name: isOpenStack ? boot.name : undefined,
    kubeletExtraArgs: [
      ...(isOpenStack
        ? [
            { name: 'cloud-provider', value: 'external' },
            { name: 'provider-id', value: boot.providerId },
          ]
        : []),
      ...(ciphers === undefined ? [] : [{ name: 'tls-cipher-suites', value: ciphers }]),
    ],
  })
  return withMarks(registration, desired.group)
}

/**
 * A file system on each further disk, whole, and where it is mounted. For Ignition Cluster API refuses `partition`, which is its only way anyway, and looks
 * the device up by what a mount names: with the `LABEL=` of cloud-init it would find none, and etcd would be on the root disk.
 */
const diskConfig = (desired: DesiredGroup): { [key: string]: Sparse } => {
  const disks = disksOf(desired)
  const isIgnition = isFlatcar(desired)
  const labelOf = ({ name }: Disk): string => `${name}_disk`
  return {
    diskSetup: {
      filesystems: disks.map((disk, index) => ({
        device: deviceOf(desired, index),
        filesystem: 'ext4',
        label: labelOf(disk),
        partition: isIgnition ? undefined : 'none',
        overwrite: false,
      })),
    },
    mounts: disks.map((disk) => [isIgnition ? labelOf(disk) : `LABEL=${labelOf(disk)}`, disk.mountPath]),
  }
}

const restartsContainerd = (files: readonly KubeadmFile[], desired: DesiredGroup): boolean =>
  files.some(({ path }) => path.includes('containerd')) || disksOf(desired).some(({ name }) => name === 'docker')

/** What machines of a group have in common whether they are masters or workers: files, commands, disks, and the format of it all. */
export const machineConfig = (desired: DesiredGroup, more: readonly KubeadmFile[]): { [key: string]: Sparse } => {
  const proxies = desired.plan.infrastructure === 'openstack' ? proxyFiles(desired.spec) : []
  const files = [...proxies, ...more]
  return {
    files: files.map(asFile),
    preKubeadmCommands: [
      ...(restartsContainerd(files, desired) ? ['systemctl daemon-reload', 'systemctl restart containerd'] : []),
      ...(isFlatcar(desired) ? IGNITION.commands : []),
    ],
    ...diskConfig(desired),
    ...(isFlatcar(desired)
      ? { format: 'ignition', ignition: { containerLinuxConfig: { additionalConfig: FLATCAR_UNITS } } }
      : {}),
  }
}
