import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterSet } from './clusters/cluster-set.ts'
import type { DemoOptions } from './options.ts'
import type { Stage } from './stage.ts'

/** Kubeconfigs of the demo's clusters, as files. */
type Kubeconfigs = {
  /** As KUBECONFIG takes them. */
  path: string
  close(): Promise<void>
}

/** One file for each cluster, for its owner only, in a folder of their own. Of somebody's own clusters their file is named. */
const writeKubeconfigs = async (
  { kind, clusters }: ClusterSet,
  { kubeconfig }: Pick<DemoOptions, 'kubeconfig'>,
): Promise<Kubeconfigs> => {
  if (kind === 'kubeconfig') return { path: kubeconfig ?? '', close: async () => undefined }
  // mkdtemp makes it 0700.
  const folder = await mkdtemp(join(tmpdir(), 'fedplane-demo-kube-'))
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const files = clusters.map(({ name }) => join(folder, `${name}.kubeconfig`))
    await Promise.all(
      clusters.map(({ kubeconfig: text }, index) => writeFile(files[index] ?? '', text, { mode: 0o600, flag: 'wx' })),
    )
    return { path: files.join(':'), close }
  } catch (error) {
    await close()
    throw error
  }
}

const guide = ({ fedplane, set }: Stage, path: string): string => {
  const [host, ...members] = set.clusters.map(({ context }) => context)
  return [
    'Look around, in another terminal; Ctrl-C here cleans up and ends.',
    '',
    `  api=${fedplane.url}/v1`,
    `  export KUBECONFIG=${path}`,
    '',
    '  curl -s $api/federations/demo | jq',
    `  kubectl --context ${host} get clusterprofiles --all-namespaces    # the host; members are ${members.join(' and ')}`,
    '',
  ].join('\n')
}

/** What somebody needs to look around, and its end. */
export const lookAround = async (
  stage: Stage,
  options: DemoOptions,
): Promise<{ text: string; close(): Promise<void> }> => {
  const { path, close } = await writeKubeconfigs(stage.set, options)
  return { text: guide(stage, path), close }
}
