import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { Manifest, PartOf } from '../../../../../kubernetes/manifest.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { memberObjectName } from '../../../../support/member/tokens.ts'
import { namespaceManifest } from '../../../../support/namespace.ts'
import { Pending } from '../../../../support/step.ts'
import {
  AGGREGATED_API_SERVER,
  CLUSTER_GROUP,
  CRDS_ASSET,
  MEMBERS_NAMESPACE,
  SYSTEM_NAMESPACE,
} from '../model/names.ts'
import { parseProperties } from '../model/properties.ts'
import { readPki } from '../pki/pki.schema.ts'
import { clientConfigOf, keepWorkloads, type WebhookSite, webhookConfigurations } from './admission.ts'
import { rbac } from './rbac.ts'

/** Version of `Cluster` that Karmada serves. */
export const CLUSTER_VERSION = 'v1alpha1'
export const API_SERVICE = `${CLUSTER_VERSION}.${CLUSTER_GROUP}`

/** Where the aggregated API server is, and the authority of its certificate. */
type AggregationSite = { namespace: string; clusterDomain: string; caPem: string }

const LABELS = { app: AGGREGATED_API_SERVER, apiserver: 'true' }

/**
 * `Cluster` is served by Karmada's aggregated API server, in the host: the Service in here is only its DNS name there, which pods of the host
 * resolve. The certificate is checked for this Service's name, `<service>.<SYSTEM_NAMESPACE>.svc`.
 */
export const aggregation = ({
  namespace,
  clusterDomain,
  caPem,
}: AggregationSite): Manifest<'Service' | 'APIService'>[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: AGGREGATED_API_SERVER, namespace: SYSTEM_NAMESPACE, labels: LABELS },
    spec: { type: 'ExternalName', externalName: `${AGGREGATED_API_SERVER}.${namespace}.svc.${clusterDomain}` },
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: API_SERVICE, labels: LABELS },
    spec: {
      group: CLUSTER_GROUP,
      version: CLUSTER_VERSION,
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      caBundle: Buffer.from(caPem).toString('base64'),
      service: { name: AGGREGATED_API_SERVER, namespace: SYSTEM_NAMESPACE },
    },
  },
]

/** Kinds with two served versions, which the webhook server converts (upstream's `patches`). */
const CONVERTED = new Set(['resourcebindings.work.karmada.io', 'clusterresourcebindings.work.karmada.io'])

const Definitions = z.array(
  z.looseObject({
    apiVersion: z.literal('apiextensions.k8s.io/v1'),
    kind: z.literal('CustomResourceDefinition'),
    metadata: z.looseObject({ name: z.string() }),
    spec: z.looseObject({}),
  }),
)

const conversion = (site: WebhookSite): PartOf['conversion'] => ({
  strategy: 'Webhook',
  webhook: { clientConfig: clientConfigOf(site, 'convert'), conversionReviewVersions: ['v1'] },
})

const unzip = promisify(gunzip)

/** All CRDs of the release as they are to be. @throws AssetMissing where the bundle was made without them */
export const crdManifests = async (
  { asset }: Pick<FederationContext, 'asset'>,
  site: WebhookSite,
): Promise<KubernetesObject[]> => {
  const text = (await unzip(await asset(CRDS_ASSET))).toString('utf8')
  return Definitions.parse(JSON.parse(text)).map(({ apiVersion, kind, metadata, spec }) => ({
    apiVersion,
    kind,
    metadata,
    spec: CONVERTED.has(metadata.name) ? { ...spec, conversion: conversion(site) } : spec,
  }))
}

/** Karmada's mark on its own namespaces. */
const SYSTEM_LABEL = { 'karmada.io/system': 'true' }

/** Keeps Karmada from making a namespace in every member. */
const SKIP_PROPAGATION = { 'namespace.karmada.io/skip-auto-propagation': 'true' }

const karmadaNamespace = (name: string): Manifest<'Namespace'> => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: SYSTEM_LABEL },
})

/**
 * Namespaces inside of the control plane. The federation's own holds the impersonators' Secrets: Karmada takes the namespace of such a Secret for
 * that of the ServiceAccount in the member, and there every federation has its own (rule F12).
 */
export const systemNamespaces = (federationId: string): Manifest<'Namespace'>[] => {
  const own = namespaceManifest(federationId, memberObjectName(federationId))
  return [
    karmadaNamespace(SYSTEM_NAMESPACE),
    karmadaNamespace(MEMBERS_NAMESPACE),
    { ...own, metadata: { ...own.metadata, labels: { ...own.metadata.labels, ...SKIP_PROPAGATION } } },
  ]
}

/** What a new API server needs to be a control plane, in this order. */
type Content = {
  namespaces: KubernetesObject[]
  /** Components end again as long as theirs are not there. */
  roles: KubernetesObject[]
  rest: KubernetesObject[]
}

/**
 * All objects that are put into the control plane (federation-control-planes.md 1.7). None of them is of a kind that its webhooks check, so these
 * may well refuse everything until the webhook server runs.
 *
 * @throws Pending before there are certificates
 */
export const contentOf = async (context: FederationContext): Promise<Content> => {
  const pki = await readPki(context)
  if (pki === undefined) throw new Pending('the control plane to have certificates')
  const { namespace, clusterDomain } = parseProperties(context.federation.properties)
  const site = { namespace, clusterDomain, caPem: pki.authorities.karmada.certificate }
  return {
    namespaces: systemNamespaces(context.federation.id),
    roles: rbac(),
    rest: [
      ...(await crdManifests(context, site)),
      ...webhookConfigurations(site),
      ...aggregation(site),
      ...keepWorkloads(),
    ],
  }
}
