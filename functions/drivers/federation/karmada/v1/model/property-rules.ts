import { isIP, isIPv4, isIPv6 } from 'node:net'
import { isDnsLabel, isDnsName, isQualifiedName, isRoleName } from '../../../../../core/values/kubernetes.ts'
import type { Properties } from '../../../../contract/federation-driver-description.ts'
import { markFaults } from '../../../../contract/object-marks.ts'
import { tagFaults } from './change-rules.ts'
import {
  API_ENDPOINT,
  API_LOAD_BALANCER_CLASS,
  API_NODE_PORT,
  API_PORT,
  API_SERVICE_ANNOTATIONS,
  API_SERVICE_TYPE,
  CLUSTER_DOMAIN,
  EXTRA_SANS,
  IMAGE_PULL_SECRET,
  IMAGE_REGISTRY,
  KEEP_DATA,
  listOf,
  MEMBER_CLUSTER_ROLE,
  NAMESPACE,
  optionalOf,
  REPLICAS,
  SERVICE_TYPES,
  STORAGE_CLASS,
  STORAGE_SIZE,
  textOf,
} from './properties.ts'

/** Namespaces of Kubernetes itself and our own; `default` is everybody's. */
const RESERVED = /^(kube-.*|fedplane-.*|default)$/
const NAMES_MAX = 50
const PORT_MAX = 65_535
/** Binary and decimal suffixes that volumes have in practice. */
const SIZE = /^[1-9][0-9]{0,8}(Mi|Gi|Ti|M|G|T)$/
/** Host with optional port, and path: what may stand before an image's name. */
const REGISTRY = /^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*\/?$/

/** An IP address as certificates have it: without zone, which means something only on one machine. */
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%')

/** A DNS name that can't be meant as an address: `10.0.0.256`, `0x7f.1` (WHATWG URL, "ends in a number"). */
const isHostName = (text: string): boolean => isDnsName(text) && !/(^|\.)([0-9]+|0x[0-9a-f]*)$/.test(text)

/** A name for certificates: a DNS name, the first label of which may be `*`, or an IP address. */
const isSan = (text: string): boolean => isAddress(text) || isHostName(text.toLowerCase().replace(/^\*\./, ''))

const isPort = (text: string): boolean => /^[0-9]{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= PORT_MAX

const fault = (key: string, text: string): string[] => [`Property ${key}: ${text}`]

const namespaceFaults = (properties: Properties): string[] => {
  const name = textOf(properties, NAMESPACE)
  if (RESERVED.test(name)) {
    return fault(
      NAMESPACE,
      `'${name}' is reserved; choose one that is neither default nor begins with kube- or fedplane-.`,
    )
  }
  return isDnsLabel(name)
    ? []
    : fault(
        NAMESPACE,
        `'${name}' is not the name of a namespace (at most 63 lower-case letters, digits and hyphens, beginning and ending with a letter or digit).`,
      )
}

/** The URL of an endpoint with nothing but scheme, host and port, as it is written: a URL's parser would make an address of `0x7f.1`. */
const isEndpoint = (text: string): boolean => {
  const [, bracketed, plain = '', port] =
    /^https:\/\/(?:\[([^\]]+)\]|([^/?#@:[\]]+))(?::([0-9]*))?\/?$/.exec(text) ?? []
  if (!URL.canParse(text) || (port !== undefined && !isPort(port))) return false
  return bracketed === undefined ? isIPv4(plain) || isHostName(plain.toLowerCase()) : isIPv6(bracketed)
}

const serviceFaults = (properties: Properties): string[] => {
  const type = textOf(properties, API_SERVICE_TYPE)
  const endpoint = optionalOf(properties, API_ENDPOINT)
  const nodePort = optionalOf(properties, API_NODE_PORT)
  const isKnown = SERVICE_TYPES.some((known) => known === type)
  return [
    ...(isKnown ? [] : fault(API_SERVICE_TYPE, `'${type}' is none of ${SERVICE_TYPES.join(', ')}.`)),
    ...(type === 'ClusterIP' && endpoint === null
      ? fault(API_SERVICE_TYPE, `ClusterIP gives no address that is reachable from outside; give ${API_ENDPOINT} too.`)
      : []),
    ...(nodePort !== null && type === 'ClusterIP'
      ? fault(
          API_NODE_PORT,
          `a Service of type ClusterIP has none; leave it out or choose another ${API_SERVICE_TYPE}.`,
        )
      : []),
    ...(optionalOf(properties, API_LOAD_BALANCER_CLASS) !== null && type !== 'LoadBalancer'
      ? fault(API_LOAD_BALANCER_CLASS, `only a Service of type LoadBalancer has one.`)
      : []),
  ]
}

const addressFaults = (properties: Properties): string[] => {
  const endpoint = optionalOf(properties, API_ENDPOINT)
  const bad = listOf(properties, EXTRA_SANS).filter((name) => !isSan(name))
  return [
    ...(endpoint === null || isEndpoint(endpoint)
      ? []
      : fault(
          API_ENDPOINT,
          `'${endpoint}' is not https://host:port, with a DNS name or an IP address, a port from 1 to ${PORT_MAX} (443 when it is left out), and nothing after it.`,
        )),
    ...bad.flatMap((name) => fault(EXTRA_SANS, `'${name}' is neither a DNS name nor an IP address without a zone.`)),
    ...(listOf(properties, EXTRA_SANS).length > NAMES_MAX
      ? fault(EXTRA_SANS, `at most ${NAMES_MAX} names are allowed.`)
      : []),
  ]
}

const portFaults = (properties: Properties): string[] =>
  [
    [API_PORT, textOf(properties, API_PORT)],
    [API_NODE_PORT, optionalOf(properties, API_NODE_PORT) ?? '1'],
  ]
    .filter(([, text = '']) => !isPort(text))
    .flatMap(([key = '', text]) => fault(key, `'${text}' is not a port from 1 to ${PORT_MAX}.`))

const annotationFaults = (properties: Properties): string[] =>
  listOf(properties, API_SERVICE_ANNOTATIONS)
    .filter((part) => !part.includes('=') || !isQualifiedName(part.slice(0, part.indexOf('=')).trim()))
    .flatMap((part) => fault(API_SERVICE_ANNOTATIONS, `'${part}' is not key=value with the key of an annotation.`))

const nameFaults = (properties: Properties): string[] =>
  [STORAGE_CLASS, IMAGE_PULL_SECRET, API_LOAD_BALANCER_CLASS].flatMap((key) => {
    const name = optionalOf(properties, key)
    const isGood = name === null || (key === API_LOAD_BALANCER_CLASS ? isQualifiedName(name) : isDnsName(name))
    return isGood ? [] : fault(key, `'${name}' is not a name that Kubernetes allows there.`)
  })

const choiceFaults = (properties: Properties): string[] => {
  const [replicas, keepData] = [textOf(properties, REPLICAS), textOf(properties, KEEP_DATA)]
  return [
    ...(['1', '3'].includes(replicas)
      ? []
      : fault(
          REPLICAS,
          `'${replicas}' is neither 1 nor 3: etcd needs an odd number, and more than three only cost time.`,
        )),
    ...(['true', 'false'].includes(keepData) ? [] : fault(KEEP_DATA, `'${keepData}' is neither true nor false.`)),
  ]
}

const textFaults = (properties: Properties): string[] => {
  const size = textOf(properties, STORAGE_SIZE)
  const registry = optionalOf(properties, IMAGE_REGISTRY)
  const domain = textOf(properties, CLUSTER_DOMAIN)
  return [
    ...(SIZE.test(size) ? [] : fault(STORAGE_SIZE, `'${size}' is not a size such as 10Gi.`)),
    ...(registry === null || REGISTRY.test(registry)
      ? []
      : fault(
          IMAGE_REGISTRY,
          `'${registry}' is not a registry such as registry.example.com/karmada, without scheme and tag.`,
        )),
    ...(isDnsName(domain) ? [] : fault(CLUSTER_DOMAIN, `'${domain}' is not a DNS domain such as cluster.local.`)),
  ]
}

const roleFaults = (properties: Properties): string[] => {
  const role = optionalOf(properties, MEMBER_CLUSTER_ROLE)
  return role === null || isRoleName(role)
    ? []
    : fault(MEMBER_CLUSTER_ROLE, `'${role}' is not the name of a ClusterRole, for example cluster-admin.`)
}

/** One whole sentence for each fault of the driver's own properties. */
export const faultsOf = (properties: Properties): string[] =>
  [
    namespaceFaults,
    serviceFaults,
    addressFaults,
    portFaults,
    annotationFaults,
    nameFaults,
    choiceFaults,
    textFaults,
    roleFaults,
    tagFaults,
    markFaults,
  ].flatMap((check) => check(properties))
