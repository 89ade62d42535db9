import type { RequestHandler } from './request-handler.ts'

/** Neither database here checks a signature, but the SDK wants something to sign with. */
const LOCAL = { region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }

/** Settings of the SDK by which clients of DynamoDB and of its streams reach a database. */
export type Connection = typeof LOCAL & {
  endpoint: string
  requestHandler: object
  signer?: { sign<T>(request: T): Promise<T> }
}

/** To the database of this process. What never leaves it is not signed; nothing listens at the endpoint, which the SDK wants to have. */
export const inProcess = (requestHandler: RequestHandler): Connection => ({
  ...LOCAL,
  endpoint: 'http://in-process.invalid',
  requestHandler,
  signer: { sign: async (request) => request },
})

/**
 * To a database at an address. An emulator is slower with more connections than it can serve at once; that hundreds of requests then wait for one is no
 * fault which the SDK should warn of.
 */
export const atEndpoint = (endpoint: string): Connection => ({
  ...LOCAL,
  endpoint,
  requestHandler: { httpAgent: { maxSockets: 16 }, socketAcquisitionWarningTimeout: 60_000 },
})
