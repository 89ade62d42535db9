import { isIP } from 'node:net'
import type { ClusterEndpoint } from '../../core/cluster/cluster.ts'
import type { JsonObject } from '../../core/values/json.ts'
import type { AddressPolicy } from '../address-guard.ts'
import type { ConnectionCredential } from '../client.ts'
import { type Certificate, certificatesOf, isoSeconds, joinPem, pemField } from './certificates.ts'
import { booleanField, FLATTEN_HINT, isSet, KubeconfigRejected, type Section, shownKey, textField } from './fields.ts'
import { guardedServerUrl } from './guarded-server-url.ts'
import { readTree } from './read-tree.ts'
import { type Selection, selectEntries } from './select-entries.ts'
import { serverUrl } from './server-url.ts'
import { checkUserFields, userEntry, userFileReferences } from './user-entry.ts'

type ClusterEntry = { endpoint: ClusterEndpoint; warnings: string[] }

type ClusterEntryOptions = { allowInsecure: boolean; policy: AddressPolicy | undefined; now: Date }

const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
const CA = 'certificate-authority'
const CA_DATA = 'certificate-authority-data'
const SKIP = 'insecure-skip-tls-verify'
const KNOWN = new Set(['server', 'tls-server-name', CA, CA_DATA, SKIP, 'disable-compression', 'extensions'])

/**
 * Where the API server is and how it is verified.
 *
 * @throws KubeconfigRejected; a denied address comes first, so that no other answer depends on it
 */
const clusterEntry = (section: Section, { allowInsecure, policy, now }: ClusterEntryOptions): ClusterEntry => {
  refuseProxy(section)
  const server = serverOf(section, policy)
  const certificates = caOf(section)
  const skip = skipsVerification(section)
  if (skip && !allowInsecure) {
    throw new KubeconfigRejected(
      'tls_verification_disabled',
      `${section.path}.${SKIP} turns off verification, so the credential would go to whoever answers; embed the CA in ${CA_DATA}, or allow it with \`insecure_skip_tls_verify\` in the request.`,
      { fields: [`${section.path}.${SKIP}`] },
    )
  }
  return {
    endpoint: {
      server,
      serverForPeers: null,
      caPem: certificates.length === 0 ? null : joinPem(certificates),
      tlsServerName: tlsServerName(section),
      tlsVerify: !skip,
    },
    warnings: [
      ...skipWarnings(skip),
      ...pathWarnings(section),
      ...unknownFields(section),
      ...caWarnings(certificates, now),
    ],
  }
}

/** Paths to files in this entry that would have to be read. `…-data` beside a path wins, as in kubectl. */
const clusterFileReferences = ({ path, map }: Section): string[] =>
  isSet(map.get(CA)) && !isSet(map.get(CA_DATA)) ? [`${path}.${CA}`] : []

const refuseProxy = ({ path, map }: Section): void => {
  if (!isSet(map.get('proxy-url'))) return
  throw new KubeconfigRejected(
    'unsupported_field',
    `${path}.proxy-url is not followed; send an address of the API server that can be reached without a proxy.`,
    { fields: [`${path}.proxy-url`] },
  )
}

const serverOf = (section: Section, policy: AddressPolicy | undefined): string => {
  const field = `${section.path}.server`
  const text = textField(section, 'server')
  if (text === undefined) {
    throw new KubeconfigRejected('invalid_kubeconfig', `${field} of the kubeconfig is missing.`, { fields: [field] })
  }
  return policy === undefined ? serverUrl(text, field) : guardedServerUrl(text, field, policy)
}

const caOf = (section: Section): Certificate[] => {
  const pem = pemField(section, CA_DATA)
  return pem === undefined ? [] : certificatesOf(pem, `${section.path}.${CA_DATA}`)
}

const skipsVerification = (section: Section): boolean => {
  const skip = booleanField(section, SKIP)
  const ca = [CA_DATA, CA].find((key) => isSet(section.map.get(key)))
  if (!skip || ca === undefined) return skip
  throw new KubeconfigRejected(
    'conflicting_fields',
    `The kubeconfig has ${SKIP} and ${ca} in ${section.path}; remove ${SKIP} to verify with the CA.`,
    { fields: [`${section.path}.${SKIP}`, `${section.path}.${ca}`] },
  )
}

const tlsServerName = (section: Section): string | null => {
  const name = textField(section, 'tls-server-name')?.trim()
  if (name === undefined || name === '') return null
  if (HOST_NAME.test(name) || isIP(name) !== 0) return name
  const field = `${section.path}.tls-server-name`
  throw new KubeconfigRejected('invalid_kubeconfig', `${field} of the kubeconfig is not a host name.`, {
    fields: [field],
  })
}

const skipWarnings = (skip: boolean): string[] =>
  skip ? ["The API server's certificate is not verified (insecure-skip-tls-verify)."] : []

const pathWarnings = ({ path, map }: Section): string[] =>
  isSet(map.get(CA)) && isSet(map.get(CA_DATA))
    ? [`${path}.${CA} is ignored: ${CA_DATA} is embedded. To avoid this, ${FLATTEN_HINT}.`]
    : []

const unknownFields = ({ path, map }: Section): string[] =>
  [...map.keys()]
    .filter((key) => !KNOWN.has(key))
    .slice(0, 20)
    .map((key) => `${path} has the unknown field ${shownKey(key)}, which is ignored.`)

const caWarnings = (certificates: readonly Certificate[], now: Date): string[] =>
  certificates
    .filter(({ x509 }) => x509.validToDate.getTime() < now.getTime())
    .map(({ x509 }) => `A certificate in ${CA_DATA} expired at ${isoSeconds(x509.validToDate)}.`)

export type KubeconfigOptions = {
  /** Wins over `current-context`. */
  context?: string
  /** The caller's explicit `insecure_skip_tls_verify`. Default false. */
  allowInsecure?: boolean
  /** Refuses denied IP literals at once. Default: no check here; `connect` checks in any case. */
  policy?: AddressPolicy
  now: Date
}

/** What is kept of a kubeconfig: one cluster and one credential. */
export type KubeconfigIntake = {
  /** `serverForPeers` is null: a kubeconfig says nothing about it. */
  endpoint: ClusterEndpoint
  credential: ConnectionCredential
  context: string
  clusterName: string
  userName: string
  /** ISO-8601 UTC, from the client certificate or the token's own claims; null when it says nothing. */
  expiresAt: string | null
  /** Whole sentences for the caller; never a secret. */
  warnings: string[]
}

/**
 * Takes exactly one cluster and one credential out of a kubeconfig, or says why not. Runs no program, opens no file, follows no
 * address. Rules: design section 6 and the shared hard cases.
 *
 * @throws KubeconfigRejected
 */
export const parseKubeconfig = (input: string | JsonObject, options: KubeconfigOptions): KubeconfigIntake => {
  const selection = selectEntries(readTree(input), options.context)
  checkUserFields(selection.user)
  const { endpoint, warnings } = clusterOf(selection, options)
  const user = userEntry(selection.user, options.now)
  return {
    endpoint,
    credential: user.credential,
    context: selection.context,
    clusterName: selection.clusterName,
    userName: selection.userName,
    expiresAt: user.expiresAt,
    warnings: [...warnings, ...user.warnings],
  }
}

const clusterOf = ({ cluster, user }: Selection, { allowInsecure = false, policy, now }: KubeconfigOptions) => {
  const fields = [...clusterFileReferences(cluster), ...userFileReferences(user)]
  if (fields.length > 0) {
    throw new KubeconfigRejected(
      'local_file_reference',
      `${fields.join(', ')} of the kubeconfig point to files on another machine, which are never opened; ${FLATTEN_HINT}.`,
      { fields },
    )
  }
  return clusterEntry(cluster, { allowInsecure, policy, now })
}
