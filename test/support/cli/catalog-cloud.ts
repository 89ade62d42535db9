import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A Keystone that issues one token, with fedplane in its catalog. */
export type CatalogCloud = { url: string; token: string; password: string; close(): Promise<void> }

type Identity = {
  methods: string[]
  password?: { user: { name: string; password: string } }
  application_credential?: { id: string; secret: string }
  token?: { id: string }
}

const PASSWORD = 'password-of-ben'
const TOKEN = 'keystone-token-of-ben'

const isGood = ({ password, application_credential: application, token }: Identity): boolean =>
  password?.user.password === PASSWORD || application?.secret === PASSWORD || token?.id === TOKEN

const bodyOf = async (request: IncomingMessage): Promise<{ auth: { identity: Identity } }> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const tokenAnswer = (server: string) => ({
  token: {
    user: { id: 'ben-id', name: 'ben' },
    project: { id: 'shop-id', name: 'shop' },
    roles: [{ id: 'r', name: 'member' }],
    catalog: [
      { type: 'identity', endpoints: [] },
      {
        type: 'container-infra',
        endpoints: [
          { interface: 'admin', region: 'north', url: 'http://admin.invalid' },
          { interface: 'public', region: 'north', region_id: 'north', url: `${server}/v1` },
        ],
      },
    ],
  },
})

/** @param server asked at each request, since both know each other */
export const startCatalogCloud = async (server: () => string): Promise<CatalogCloud> => {
  const http = createServer(async (request, response) => {
    const isToken = request.method === 'POST' && request.url === '/v3/auth/tokens'
    const isKnown = isToken && isGood((await bodyOf(request)).auth.identity)
    response.writeHead(isKnown ? 201 : 401, {
      'content-type': 'application/json',
      ...(isKnown ? { 'x-subject-token': TOKEN } : {}),
    })
    response.end(
      JSON.stringify(
        isKnown
          ? tokenAnswer(server())
          : { error: { code: 401, message: 'The request you have made requires authentication.' } },
      ),
    )
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    token: TOKEN,
    password: PASSWORD,
    close: async () => {
      http.close()
      http.closeAllConnections()
    },
  }
}
