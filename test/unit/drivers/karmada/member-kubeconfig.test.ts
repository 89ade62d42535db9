import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../functions/core/values/secret.ts'
import type { FederationContext } from '../../../../functions/drivers/contract/federation-driver.ts'
import { kubeconfig } from '../../../../functions/drivers/federation/karmada/v1/control-plane/kubeconfig.ts'
import { LEAVES } from '../../../../functions/drivers/federation/karmada/v1/pki/pki.schema.ts'
import { newAuthority } from '../../../../functions/x509/new-authority.ts'
import { sampleFederation } from '../../../support/store/samples.ts'

const NOW = '2026-01-01T00:00:00.000Z'

const contextOf = async (driverState: object): Promise<FederationContext> => {
  const { certificatePem, privateKey } = await newAuthority('karmada', new Date(NOW))
  const pair = { certificate: certificatePem, key: privateKey.reveal() }
  const pki = {
    authorities: { karmada: pair, etcd: pair, 'front-proxy': pair },
    leaves: Object.fromEntries(LEAVES.map((leaf) => [leaf, pair])),
    serviceAccount: { publicKey: 'p', key: 'k' },
  }
  return {
    federation: { ...sampleFederation(), driverState },
    now: () => NOW,
    sealed: async () => new Secret(JSON.stringify(pki)),
  } as unknown as FederationContext
}

const certificateIn = (text: string): X509Certificate =>
  new X509Certificate(Buffer.from(JSON.parse(text).users[0].user['client-certificate-data'], 'base64'))

const issue = async (user: string, seconds = 900) => {
  const context = await contextOf({ endpoint: 'https://fed.example:5443' })
  return kubeconfig(context, { user, role: 'admin', seconds })
}

describe('kubeconfig', () => {
  it('is a client certificate of the user for a while, in the group that can be taken its rights', async () => {
    const { kubeconfig: made, expiresAt } = await issue('ana')
    const certificate = certificateIn(made.reveal())
    expect(certificate.subject).toBe('O=fedplane:federation-admins\nCN=fedplane:user:ana')
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
    expect(expiresAt).toBe('2026-01-01T00:15:00.000Z')
    expect(certificate.validToDate.toISOString()).toBe(expiresAt)
    expect(JSON.parse(made.reveal()).clusters[0].cluster.server).toBe('https://fed.example:5443')
  })

  it('makes nobody a user of Kubernetes itself', async () => {
    expect(certificateIn((await issue('system:admin')).kubeconfig.reveal()).subject).toContain(
      'CN=fedplane:user:system:admin',
    )
  })

  it('keeps users apart whose names are too long', async () => {
    const names = await Promise.all(
      [`${'x'.repeat(80)}a`, `${'x'.repeat(80)}b`].map(
        async (user) => certificateIn((await issue(user)).kubeconfig.reveal()).subject,
      ),
    )
    expect(names[0]).not.toBe(names[1])
  })

  it('is refused before there is an address', async () => {
    await expect(kubeconfig(await contextOf({}), { user: 'ana', role: 'admin', seconds: 900 })).rejects.toMatchObject({
      name: 'CredentialMissing',
    })
  })
})
