import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import * as z from 'zod'
import type { KubernetesClient, KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { customResourceDefinitions } from '../../../../functions/kubernetes/resources.ts'
import { until } from '../../../support/local/engine-lab.ts'

/** CAPO, whose module has its definitions; the hash is that of the module's content, as in a go.sum. */
const MODULE = 'sigs.k8s.io/cluster-api-provider-openstack@v0.14.6'
const SUM = 'h1:yOln3Hd6JOFe2mkOGckFdWwFNhJdcNWrlfgwMdxmzto='

/** What its kustomization adds: which of its versions keeps which contract. */
const CONTRACT = { 'cluster.x-k8s.io/v1beta1': 'v1beta1' }

const Download = z.object({ Dir: z.string(), Sum: z.string() })

/** Folder of the definitions, from the Go module proxy; no module of ours is needed for that. */
const definitionsFolder = async (): Promise<string> => {
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', MODULE], {
    cwd: '/',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/local/go/bin`, GOVCS: '*:off', GO111MODULE: 'on' },
  })
  const { Dir, Sum } = Download.parse(JSON.parse(stdout))
  if (Sum !== SUM) throw new Error(`${MODULE} is ${Sum}, not ${SUM}`)
  return path.join(Dir, 'config/crd/bases')
}

/** Puts CAPO's definitions beside those of Cluster API. Its controllers are not there: nobody makes machines. */
export const installOpenStack = async (admin: KubernetesClient): Promise<void> => {
  const folder = await definitionsFolder()
  const files = await readdir(folder)
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')))
  for (const text of texts) {
    const definition = parse(text) as KubernetesObject
    const { metadata } = definition
    await admin.create(customResourceDefinitions, {
      ...definition,
      metadata: { ...metadata, labels: { ...metadata.labels, ...CONTRACT } },
    })
  }
  const group = { group: 'infrastructure.cluster.x-k8s.io', version: 'v1beta1', plural: 'openstackclustertemplates' }
  await until(
    () =>
      admin.list(group).then(
        () => true,
        () => false,
      ),
    60_000,
  )
}
