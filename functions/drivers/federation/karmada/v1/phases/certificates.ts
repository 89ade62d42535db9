import { Secret } from '../../../../../core/values/secret.ts'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ObjectNotFound } from '../../../../../kubernetes/errors.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { FEDERATION_LABEL } from '../../../../support/owned.ts'
import { pagesOf } from '../../../../support/pages.ts'
import { Pending, settleAll, step } from '../../../../support/step.ts'
import { withControlPlane } from '../control-plane/open.ts'
import { ensureAll, inHost, removeSelected, requirePki } from '../host/host-work.ts'
import { secretManifests } from '../host/secrets.ts'
import { stateOf } from '../model/names.ts'
import type { KarmadaOptions } from '../model/options.ts'
import { parseProperties } from '../model/properties.ts'
import { issuePki, renewAfterOf } from '../pki/issue-pki.ts'
import { ENCRYPTION, type Encryption, newEncryption, PKI, type Pki, readHostPki } from '../pki/pki.schema.ts'
import { apiServerPhase } from './workloads.ts'

/** In a rotation all leaves are issued anew, once. */
const rotationStart = ({ federation: { operation } }: FederationContext): Date | undefined =>
  operation?.kind === 'rotate' ? new Date(operation.startedAt) : undefined

const secretOf = (document: object): Secret => new Secret(JSON.stringify(document))

/** What of it is new; nothing when all is known. The key of Secrets in etcd is made once, and stays as the authorities do. */
const sealedAs = (known: Pki | undefined, pki: Pki): Pick<StepResult, 'sealed'> => {
  const { encryption, ...certificates } = pki
  const sealed = {
    ...(pki === known ? {} : { [PKI]: secretOf(certificates) }),
    ...(encryption === undefined ? { [ENCRYPTION]: secretOf(newEncryption(known === undefined)) } : {}),
  }
  return Object.keys(sealed).length === 0 ? {} : { sealed }
}

/**
 * Authorities, certificates and keys, for the address that the Service got. They are sealed and stored before anything of them is in the host. In an
 * update: leaves that lack a name or near their end are issued anew; in a rotation all.
 */
export const certificatesPhase = ({ leafLifetimeSeconds }: KarmadaOptions): Phase<FederationContext> => ({
  id: 'certificates',
  title: 'certificates',
  deadlineSeconds: 60,
  ensure: (context) =>
    step(async () => {
      const { endpoint, hosts = [] } = stateOf(context.federation)
      if (endpoint === undefined) throw new Pending('the control plane to have an address')
      const known = await readHostPki(context)
      const pki = await issuePki(known, {
        naming: { ...parseProperties(context.federation.properties), endpoint, hosts },
        leafLifetimeSeconds,
        now: new Date(context.now()),
        issuedSince: rotationStart(context),
      })
      return { renewAfter: renewAfterOf(pki), ...sealedAs(known, pki) }
    }),
  undo: async () => ({ done: true, sealed: { [PKI]: null, [ENCRYPTION]: null }, renewAfter: null }),
})

/** One kubeconfig Secret for each component, with its own identity, and one Secret for each other use of a certificate or key. */
export const secretsPhase: Phase<FederationContext> = {
  id: 'kubeconfigs',
  title: 'kubeconfig and certificate Secrets',
  deadlineSeconds: 60,
  ensure: inHost(async (work, trace, context) => {
    await ensureAll(work, trace, secretManifests(work.plan, await requirePki(context)))
    return {}
  }),
  undo: inHost(async (work) => {
    await removeSelected(work, [secrets(work.namespace)], `${FEDERATION_LABEL}=${work.site.federationId}`)
    return {}
  }),
}

/** Secrets that are written anew at a time. */
const AT_ONCE = 10

/** Of all namespaces. */
const ALL_SECRETS = { group: '', version: 'v1', plural: 'secrets' }

/** A change of nothing: the API server stores it all the same when what is stored was not written by its first provider. */
const rewrite = async (client: KubernetesClient, { metadata }: KubernetesObject): Promise<void> => {
  const namespace = metadata.namespace ?? ''
  try {
    await client.patch({ ...ALL_SECRETS, namespace }, metadata.name, {})
  } catch (error) {
    if (!(error instanceof ObjectNotFound)) throw error
  }
}

const rewriteAll = async (client: KubernetesClient): Promise<void> => {
  for await (const page of pagesOf(client, ALL_SECRETS)) {
    for (let at = 0; at < page.length; at += AT_ONCE) {
      await settleAll(page.slice(at, at + AT_ONCE).map((secret) => () => rewrite(client, secret)))
    }
  }
}

/** Every API server can read what is encrypted by now, so that they may begin to encrypt. */
const begin = (encryption: Encryption): StepResult => ({
  done: false,
  waitingFor: 'the API servers to encrypt Secrets',
  sealed: { [ENCRYPTION]: secretOf({ ...encryption, stage: 'writing' }) },
})

/** The API servers with the key in the first place, and then all Secrets, once more. */
const finish = async (context: FederationContext, encryption: Encryption): Promise<StepResult> => {
  const parts: StepResult[] = []
  for (const { ensure } of [secretsPhase, apiServerPhase]) {
    const part = await ensure(context)
    if (!part.done) return part
    parts.push(part)
  }
  const rewritten = await step(async () => {
    await withControlPlane(context, rewriteAll)
    return {}
  })
  if (!rewritten.done) return rewritten
  return {
    done: true,
    made: parts.flatMap(({ made = [] }) => made),
    sealed: { [ENCRYPTION]: secretOf({ ...encryption, stage: 'complete' }) },
  }
}

/**
 * Brings a control plane of before to encrypting its Secrets, after the API servers were replaced by such as can read that. One that was made with
 * it has nothing to do here.
 */
export const encryptionPhase: Phase<FederationContext> = {
  id: 'encryption',
  title: 'encryption of Secrets',
  deadlineSeconds: 600,
  ensure: async (context) => {
    const looked = await step(async () => ({ keys: await requirePki(context) }))
    if (!('keys' in looked)) return looked
    const { encryption } = looked.keys
    if (encryption === undefined || encryption.stage === 'complete') return { done: true }
    return encryption.stage === 'reading' ? begin(encryption) : finish(context, encryption)
  },
}
