import { noQuery } from '../query.ts'
import { type Route, route } from '../route.ts'
import { getDriver, listDrivers } from './drivers.ts'

const schemas = { query: noQuery }

export const DRIVER_ROUTES: readonly Route[] = [
  route({ method: 'GET', path: '/v1/drivers', access: 'table', rule: 'driver:get', schemas, handle: listDrivers }),
  route({
    method: 'GET',
    path: '/v1/drivers/{driver}',
    access: 'table',
    rule: 'driver:get',
    schemas,
    handle: getDriver,
  }),
]
