import { Secret } from '../../../../../core/values/secret.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { Pending, step } from '../../../../support/step.ts'
import type { KarmadaOptions } from '../options.ts'
import { ENCRYPTION, newEncryption } from '../pki/encryption.ts'
import { issuePki } from '../pki/issue-pki.ts'
import { renewAfterOf } from '../pki/lifetimes.ts'
import { PKI, type Pki } from '../pki/pki.schema.ts'
import { readHostPki } from '../pki/read-pki.ts'
import { parseProperties } from '../schema.ts'
import { stateOf } from '../state.ts'

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
