import { listInWords, quote, withoutFullStop } from '../../../../../core/values/wording.ts'
import type { Condition, OpenStackServer } from '../management/objects.schema.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { conditionOf, isLeaving, isTrue } from './conditions.ts'

/** CAPO does not say what Nova says of an instance in ERROR. */
const inError = ({ metadata: { name } }: OpenStackServer): string =>
  `the cloud could not make the instance; "openstack server show ${name}" says why`

const failure = (server: OpenStackServer, { reason, message }: Condition): string =>
  `${reason || 'InstanceReady'}: ${message === '' ? inError(server) : withoutFullStop(message.replaceAll(/\s+/g, ' ').trim())}`

const named = (what: string, name: string | undefined): string => (name === undefined ? what : `${what} ${quote(name)}`)

/** What CAPO looks for in the cloud and has not found. It says so in its log only. */
const missing = ({ spec, status: { resolved } }: OpenStackServer): string[] =>
  resolved === undefined
    ? []
    : [
        ...(resolved.imageID === '' ? [named('image', spec.image.id ?? spec.image.filter.name)] : []),
        ...(resolved.flavorID === '' ? [named('flavor', spec.flavorID ?? spec.flavor)] : []),
        ...(resolved.ports.length === 0 ? ['networks of its ports'] : []),
      ]

const troubleWith = (server: OpenStackServer): string[] => {
  const ready = conditionOf(server, 'InstanceReady')
  if (ready?.status === 'True') return []
  const title = `OpenStackServer/${server.metadata.name}`
  if (ready?.status === 'False') return [`${title} ${failure(server, ready)}`]
  const absent = missing(server)
  return absent.length === 0 ? [] : [`${title} NotResolved: not found in the cloud: ${listInWords(absent)}`]
}

/** Why the cloud has no machine where there should be one: of those that stay and are not well. */
export const serverTroubles = ({ machines, servers }: Snapshot): string[] => {
  const troubled = machines.filter((machine) => !isLeaving(machine) && !isTrue(machine, 'Ready'))
  const names = new Set(troubled.map(({ metadata }) => metadata.name))
  return servers.filter(({ metadata }) => names.has(metadata.name)).flatMap(troubleWith)
}
