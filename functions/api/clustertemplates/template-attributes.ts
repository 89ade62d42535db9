import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { keptByName, keptFrom, type Settable } from '../../core/values/attributes.ts'
import type { Labels } from '../../core/values/labels.ts'

/** What callers set of a template, under Magnum's names. Labels are null in the answer to the patch that removed them only; stored as none. */
export type TemplateAttributes = Omit<Settable<typeof TEMPLATE_ATTRIBUTES>, 'labels'> & { labels: Labels | null }

/** The fields of a template that its attributes say. */
export type TemplateFields = Pick<ClusterTemplate, 'name' | 'spec' | 'public' | 'hidden' | 'tags'>

export const attributesOf = ({ name, spec, public: isPublic, hidden, tags }: TemplateFields): TemplateAttributes => ({
  name,
  ...keptByName(TEMPLATE_ATTRIBUTES, spec),
  public: isPublic,
  hidden,
  tags,
})

export const fieldsOf = (attributes: TemplateAttributes): TemplateFields => {
  const { name, public: isPublic, hidden, tags, labels } = attributes
  const spec = keptFrom(TEMPLATE_ATTRIBUTES, { ...attributes, labels: labels ?? {} })
  return { name, spec, public: isPublic, hidden, tags }
}

/** `base` with what `given` has besides undefined. */
export const overlay = <T extends object>(base: T, given: { readonly [K in keyof T]?: T[K] | undefined }): T =>
  Object.assign({}, base, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)))

/** GB that the storage driver `devicemapper` needs (magnum-rest.md section 5). */
const DEVICEMAPPER_SIZE_MIN = 3

/** Rules over several attributes. A size that is left out is a cluster's to give. @throws InvalidRequest */
export const requireConsistent = (
  attributes: Pick<TemplateAttributes, 'docker_storage_driver' | 'docker_volume_size'>,
): void => {
  const { docker_storage_driver: storage, docker_volume_size: size } = attributes
  if (storage !== 'devicemapper' || size === null || size >= DEVICEMAPPER_SIZE_MIN) return
  throw new InvalidRequest(
    `"docker_volume_size" is ${size}; with "docker_storage_driver" "devicemapper" it must be at least ${DEVICEMAPPER_SIZE_MIN} (GB).`,
  )
}
