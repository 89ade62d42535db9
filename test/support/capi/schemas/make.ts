import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'

/**
 * Makes `schemas.json.gz` from folders with definitions (README.md): of the kinds that capi@1 writes, what a value must look like, and nothing that only explains.
 *
 * `npx node test/support/capi/schemas/make.ts FOLDER...`
 */
const KINDS = [
  'cluster.x-k8s.io/v1beta2/Cluster',
  'cluster.x-k8s.io/v1beta2/ClusterClass',
  'controlplane.cluster.x-k8s.io/v1beta2/KubeadmControlPlaneTemplate',
  'bootstrap.cluster.x-k8s.io/v1beta2/KubeadmConfigTemplate',
  'addons.cluster.x-k8s.io/v1beta2/ClusterResourceSet',
  'infrastructure.cluster.x-k8s.io/v1beta2/DevClusterTemplate',
  'infrastructure.cluster.x-k8s.io/v1beta2/DevMachineTemplate',
  'infrastructure.cluster.x-k8s.io/v1beta1/OpenStackClusterTemplate',
  'infrastructure.cluster.x-k8s.io/v1beta1/OpenStackMachineTemplate',
]

const Definition = z.object({
  spec: z.object({
    group: z.string(),
    names: z.object({ kind: z.string() }),
    versions: z.array(
      z.object({
        name: z.string(),
        schema: z.object({ openAPIV3Schema: z.object({ properties: z.record(z.string(), z.unknown()) }) }),
      }),
    ),
  }),
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema without descriptions. Below `properties` all keys are names of fields. */
const bare = (schema: unknown, areFields = false): unknown => {
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => areFields || key !== 'description')
      .map(([key, value]) => [key, bare(value, key === 'properties' && !areFields)]),
  )
}

const definitionsIn = (folder: string): unknown[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document): unknown => document.toJS()),
    )

const schemasOf = (definition: unknown): [string, unknown][] => {
  const { group, names, versions } = Definition.parse(definition).spec
  return versions.map(({ name, schema }) => [
    `${group}/${name}/${names.kind}`,
    bare(schema.openAPIV3Schema.properties.spec),
  ])
}

const found = new Map(process.argv.slice(2).flatMap(definitionsIn).flatMap(schemasOf))
const missing = KINDS.filter((kind) => !found.has(kind))
if (missing.length > 0) throw new Error(`No definition of ${missing.join(', ')} is in these folders.`)
const schemas = Object.fromEntries(KINDS.map((kind) => [kind, found.get(kind)]))
writeFileSync(join(import.meta.dirname, 'schemas.json.gz'), gzipSync(JSON.stringify(schemas), { level: 9 }))
