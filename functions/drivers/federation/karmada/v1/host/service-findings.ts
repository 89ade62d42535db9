import { shortId } from '../../../../../core/values/ids.ts'
import { ObjectInvalid, ObjectNotFound, PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { errorFinding, warningFinding } from '../../../../support/findings.ts'
import { API_SERVER } from '../names.ts'
import { API_NODE_PORT } from '../properties.ts'
import type { HostWork } from './host-work.ts'
import { services } from './resources.ts'
import { apiServiceManifest } from './services.ts'

const UNPROCESSABLE = 422

/** Where the Service can be tried when its namespace is still to be made. */
const EVERYWHERE = 'default'

/** Default of `--service-node-port-range`, which no API tells. */
const [FIRST, LAST] = [30_000, 32_767]

/** A dry run does not look at the range (Kubernetes 1.36), so this can only be a warning. */
const rangeFindings = ({ plan: { properties } }: HostWork): Finding[] => {
  const port = properties.apiNodePort
  if (port === null || (port >= FIRST && port <= LAST)) return []
  const message = `Node port ${port} of property ${API_NODE_PORT} is not among those that hosts have unless they are set up otherwise, ${FIRST} to ${LAST}; there the create fails.`
  return [warningFinding('NodePortUnusual', message)]
}

const isRefusal = (error: unknown): error is ObjectInvalid =>
  // Not 400: an admission webhook that takes no dry runs, for example.
  error instanceof ObjectInvalid && error.details.status === UNPROCESSABLE

const refusals = async ({ site, plan, namespace }: HostWork): Promise<Finding[]> => {
  const { client } = site
  const [place, there] = await Promise.all([
    client.get(namespaces, namespace),
    client.get(services(namespace), API_SERVER),
  ])
  if (there !== undefined) return []
  const where = place === undefined ? EVERYWHERE : namespace
  const manifest = apiServiceManifest(plan)
  const metadata = { ...manifest.metadata, namespace: where, name: `fedplane-preflight-${shortId(plan.federationId)}` }
  try {
    await client.apply(services(where), { ...manifest, metadata }, { dryRun: true })
    return []
  } catch (error) {
    if (isRefusal(error)) {
      const message = `The host refuses Service ${API_SERVER} as the properties want it: ${error.message}`
      return [errorFinding('ServiceRefused', message)]
    }
    if ([PermissionDenied, ObjectNotFound, ObjectInvalid].some((known) => error instanceof known)) return []
    throw error
  }
}

/**
 * What the host has against the Service: a node port out of the usual range, and by a dry run what only its API server knows, such as one that is in
 * use. Less where that can't be tried. A Service that is there already is ours, or told as somebody else's.
 */
export const serviceFindings = async (work: HostWork): Promise<Finding[]> => [
  ...rangeFindings(work),
  ...(await refusals(work)),
]
