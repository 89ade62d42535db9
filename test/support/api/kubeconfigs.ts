/** A marker that must not be in any answer, log line, event, state input or table item in clear. */
export const SECRET_MARKER = 'example-token-not-a-secret-7777'

/** A kubeconfig as text with one context; nothing ever connects to the address. */
export const kubeconfigText = (server = 'https://api.example.com:6443', cluster = ''): string => `
apiVersion: v1
kind: Config
current-context: demo
clusters:
  - name: demo
    cluster: { server: "${server}"${cluster} }
users:
  - name: demo-admin
    user: { token: ${SECRET_MARKER} }
contexts:
  - name: demo
    context: { cluster: demo, user: demo-admin }
`
