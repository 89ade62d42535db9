import { expect, it } from 'vitest'
import { noQuery } from '../../../functions/api/query.ts'
import {
  type ApiRequest,
  type ApiResponse,
  type KeysRequest,
  type Route,
  route,
  type TableRoute,
} from '../../../functions/api/route.ts'

const base = { method: 'GET', path: '/v1/x', rule: 'cluster:get', summary: 'X.', schemas: { query: noQuery } } as const

const checkHost = async ({ ports }: KeysRequest): Promise<ApiResponse> => ({
  status: 200,
  body: ports.drivers.federation.list().map((driver) => typeof driver.checkHost),
})

const listUpdates = async ({ ports }: ApiRequest): Promise<ApiResponse> => ({
  status: 200,
  // @ts-expect-error phases are not in what a cluster driver says; its updates are
  body: ports.drivers.cluster.list().map(({ phases, updates }) => [phases, updates]),
})

// What the compiler says is the test: an expected error that is none is an error too.
it('lets handlers of table routes get no more than what drivers say', () => {
  // @ts-expect-error the table function has no whole drivers
  const wrong = route({ ...base, access: 'table', handle: checkHost })
  // @ts-expect-error nor is there a way to write such a route without the helper
  const written: TableRoute = { ...base, access: 'table', handle: checkHost }
  const keys = route({ ...base, access: 'keys', handle: checkHost })
  // @ts-expect-error a route with whole drivers has no place in the table function's list
  const list: readonly TableRoute[] = [keys]
  const both: readonly Route[] = [keys, route({ ...base, access: 'table', handle: listUpdates })]
  expect([wrong, written, ...list, ...both]).toHaveLength(5)
})
