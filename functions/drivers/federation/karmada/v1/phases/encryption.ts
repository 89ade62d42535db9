import { Secret } from '../../../../../core/values/secret.ts'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ObjectNotFound } from '../../../../../kubernetes/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { pagesOf } from '../../../../support/pages.ts'
import { settleAll } from '../../../../support/settle-all.ts'
import { step } from '../../../../support/step.ts'
import { withControlPlane } from '../control-plane/open.ts'
import { requirePki } from '../host/host-work.ts'
import { ENCRYPTION, type Encryption } from '../pki/encryption.ts'
import { secretsPhase } from './secrets.ts'
import { apiServerPhase } from './workloads.ts'

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

const sealedAs = (encryption: Encryption): NonNullable<StepResult['sealed']> => ({
  [ENCRYPTION]: new Secret(JSON.stringify(encryption)),
})

/** Every API server can read what is encrypted by now, so that they may begin to encrypt. */
const begin = (encryption: Encryption): StepResult => ({
  done: false,
  waitingFor: 'the API servers to encrypt Secrets',
  sealed: sealedAs({ ...encryption, stage: 'writing' }),
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
    sealed: sealedAs({ ...encryption, stage: 'complete' }),
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
