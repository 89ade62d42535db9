import { noQuery } from '../query.ts'
import { type Route, route } from '../route.ts'
import { driverAnswer, driversAnswer } from './driver.answer.schema.ts'
import { getDriver, listDrivers } from './drivers.ts'

const schemas = { query: noQuery }

export const DRIVER_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/drivers',
    access: 'table',
    rule: 'driver:get',
    schemas,
    answers: { 200: driversAnswer },
    handle: listDrivers,
  }),
  route({
    method: 'GET',
    path: '/v1/drivers/{driver}',
    access: 'table',
    rule: 'driver:get',
    schemas,
    answers: { 200: driverAnswer },
    handle: getDriver,
  }),
]
