/**
 * Stands for `@aws-sdk/credential-provider-node` in bundles (`infra/bundle.ts`): Lambda gives a function its role's credentials in the
 * environment, so the chain over profiles, SSO, web identity and instance metadata is 140 KB that nothing there can use.
 */
export const defaultProvider =
  () => (): Promise<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string }> => {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env
    if (!accessKeyId || !secretAccessKey) {
      return Promise.reject(new Error('There are no AWS credentials in the environment; Lambda sets them.'))
    }
    const sessionToken = process.env.AWS_SESSION_TOKEN
    return Promise.resolve({ accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) })
  }
