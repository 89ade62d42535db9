import * as z from 'zod'
import { YAML } from '../kubeconfigs/answer-kubeconfig.ts'
import { expiresIn, kubeconfigBody } from '../kubeconfigs/kubeconfig.schema.ts'
import { flag, rollback, workloads } from '../query.ts'
import { type Route, route } from '../route.ts'
import { createFederationHandler, patchFederation } from './change-federation.ts'
import { createFederationBody, federationPatchBody } from './federation.schema.ts'
import { getKubeconfig, issueKubeconfig } from './kubeconfig.ts'

/** Create and update open clusters for `?dry_run=true`, with their stored credentials, and a kubeconfig is made with the driver's: hence keys. */
export const FEDERATION_KEYS_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/federations',
    access: 'keys',
    rule: 'federation:create',
    idempotent: true,
    schemas: { query: z.object({ dry_run: flag }), body: createFederationBody },
    summary: 'Creates a federation on a host cluster, and joins members to it.',
    handle: createFederationHandler,
  }),
  route({
    method: 'PATCH',
    path: '/v1/federations/{federation}',
    access: 'keys',
    rule: 'federation:update',
    schemas: { query: z.object({ rollback, dry_run: flag, force: flag, workloads }), body: federationPatchBody },
    summary: 'Joins and unjoins members, and changes properties.',
    handle: patchFederation,
  }),
  route({
    method: 'GET',
    path: '/v1/federations/{federation}/kubeconfig',
    access: 'keys',
    rule: 'federation:kubeconfig',
    media: [YAML],
    schemas: { query: z.object({ expires_in: expiresIn }) },
    summary: "Gives a kubeconfig for the federation's control plane, with a credential that expires; not to browsers.",
    handle: getKubeconfig,
  }),
  route({
    method: 'POST',
    path: '/v1/federations/{federation}/kubeconfig',
    access: 'keys',
    rule: 'federation:kubeconfig',
    media: [YAML],
    schemas: { query: z.object({ expires_in: expiresIn }), body: kubeconfigBody },
    summary: "Issues a kubeconfig for the federation's control plane, with a credential of a role that expires.",
    handle: issueKubeconfig,
  }),
]
