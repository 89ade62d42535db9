import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { PartOf } from '../../../../../kubernetes/manifest.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { CRDS_ASSET } from '../names.ts'
import { clientConfigOf, type WebhookSite } from './webhooks.ts'

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
