import type { CrdSpec } from './resource-types.ts'
import type { FieldFault } from './status.ts'
import type { ApiObject } from './types.ts'

const required = (field: string): FieldFault => ({ field, reason: 'FieldValueRequired', message: 'Required value' })

const versionFaults = (versions: NonNullable<Partial<CrdSpec>['versions']>): FieldFault[] => {
  const stored = versions.filter((version) => version.storage)
  const message = `Invalid value: ${JSON.stringify(versions)}: must have exactly one version marked as storage version`
  return [
    ...(stored.length === 1 ? [] : [{ field: 'spec.versions', reason: 'FieldValueInvalid', message } as const]),
    ...versions.flatMap((version, index) =>
      version.schema?.openAPIV3Schema === undefined ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
    ),
  ]
}

const nameFaults = (object: ApiObject, spec: Partial<CrdSpec>): FieldFault[] => {
  const expected = `${spec.names?.plural}.${spec.group}`
  if (object.metadata.name === expected) return []
  const message = `Invalid value: ${JSON.stringify(object.metadata.name)}: must be spec.names.plural+"."+spec.group`
  return [{ field: 'metadata.name', reason: 'FieldValueInvalid', message }]
}

const scopeFaults = (scope: unknown): FieldFault[] => {
  if (scope === 'Namespaced' || scope === 'Cluster') return []
  const message = `Unsupported value: ${JSON.stringify(scope ?? '')}: supported values: "Cluster", "Namespaced"`
  return [{ field: 'spec.scope', reason: 'FieldValueNotSupported', message }]
}

/** Faults of a CustomResourceDefinition: what a publisher gets wrong first, not all of the real validation. */
export const validateCrd = (object: ApiObject): FieldFault[] => {
  const spec = (object.spec ?? {}) as Partial<CrdSpec>
  return [
    ...(spec.group ? [] : [required('spec.group')]),
    ...(spec.names?.plural ? [] : [required('spec.names.plural')]),
    ...(spec.names?.kind ? [] : [required('spec.names.kind')]),
    ...nameFaults(object, spec),
    ...scopeFaults(spec.scope),
    ...versionFaults(spec.versions ?? []),
  ]
}
