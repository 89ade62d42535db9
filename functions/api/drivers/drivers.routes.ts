import { noQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { getDriver, listDrivers } from './drivers.ts'

const schemas = { query: noQuery }

export const DRIVER_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: '/v1/drivers',
    access: 'table',
    rule: 'driver:get',
    summary: 'Lists the enabled drivers, with what they can do.',
    schemas,
    handle: listDrivers,
  }),
  route({
    method: 'GET',
    path: '/v1/drivers/{driver}',
    access: 'table',
    rule: 'driver:get',
    summary: 'Shows one enabled driver.',
    schemas,
    handle: getDriver,
  }),
]
