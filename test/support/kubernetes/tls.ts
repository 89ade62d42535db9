import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

export type Issued = { certificatePem: string; keyPem: string }
export type IssueOptions = {
  /** Common name. Default `fedplane-test`. */
  name?: string
  /** Organisation, which Kubernetes takes for a group. */
  organisation?: string
  dns?: string[]
  ips?: string[]
  /** Default an hour ago. */
  notBefore?: Date
  /** Default in an hour. */
  notAfter?: Date
}
export type TestCa = {
  certificatePem: string
  issue(options?: IssueOptions): Promise<Issued>
  /** The certificate of another CA, PEM, signed by this one. */
  signCa(name: string): Promise<string>
}

const hours = (count: number): Date => new Date(Date.now() + count * 3_600_000)
const newKeys = (): Promise<webcrypto.CryptoKeyPair> => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

const pemOf = async ({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> => {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${der.replace(/(.{64})/g, '$1\n')}\n-----END PRIVATE KEY-----\n`
}

let serial = 1
const nextSerial = (): string => {
  serial += 1
  return serial.toString(16).padStart(4, '0')
}

/** A CA in memory that issues certificates for servers and clients; ECDSA P-256. */
export const makeCa = async (name = 'fedplane test CA'): Promise<TestCa> => {
  const keys = await newKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: nextSerial(),
    name: `CN=${name}`,
    notBefore: hours(-24),
    notAfter: hours(24),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  })
  return {
    certificatePem: `${certificate.toString('pem')}\n`,
    signCa: async (subject) => {
      const signed = await X509CertificateGenerator.create({
        serialNumber: nextSerial(),
        subject: `CN=${subject}`,
        issuer: certificate.subject,
        notBefore: hours(-1),
        notAfter: hours(1),
        publicKey: (await newKeys()).publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [new BasicConstraintsExtension(true, undefined, true)],
      })
      return `${signed.toString('pem')}\n`
    },
    issue: async ({ name: subject = 'fedplane-test', organisation, dns = [], ips = [], notBefore, notAfter } = {}) => {
      const leafKeys = await newKeys()
      const leaf = await X509CertificateGenerator.create({
        serialNumber: nextSerial(),
        subject: `CN=${subject}${organisation === undefined ? '' : `, O=${organisation}`}`,
        issuer: certificate.subject,
        notBefore: notBefore ?? hours(-1),
        notAfter: notAfter ?? hours(1),
        publicKey: leafKeys.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new ExtendedKeyUsageExtension([SERVER_AUTH, CLIENT_AUTH]),
          ...(dns.length + ips.length === 0
            ? []
            : [
                new SubjectAlternativeNameExtension([
                  ...dns.map((value) => ({ type: 'dns' as const, value })),
                  ...ips.map((value) => ({ type: 'ip' as const, value })),
                ]),
              ]),
        ],
      })
      return { certificatePem: `${leaf.toString('pem')}\n`, keyPem: await pemOf(leafKeys) }
    },
  }
}

export type SeenRequest = {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
  /** SNI of the connection; false when none was sent. */
  servername: string | false
}

export type TestServer = {
  port: number
  /** What was asked, in order. */
  seen: SeenRequest[]
  /** TLS connections made so far. */
  connections(): number
  close(): Promise<void>
}

type Handler = (request: SeenRequest, response: ServerResponse, raw: IncomingMessage) => void

/** An HTTPS server on a free port of 127.0.0.1; the handler gets requests with their bodies read. */
export const startTlsServer = async (
  issued: Issued,
  handler: Handler,
  options: ServerOptions = {},
): Promise<TestServer> => {
  const seen: SeenRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const listener: RequestListener = (request, response) => {
    readAll(request).then(
      (body) => {
        const { servername = false } = request.socket as { servername?: string | false }
        const { method = '', url = '', headers } = request
        const one = { method, url, headers, body, servername }
        seen.push(one)
        handler(one, response, request)
      },
      () => response.destroy(),
    )
  }
  const server = createServer({ cert: issued.certificatePem, key: issued.keyPem, ...options }, listener)
  server.on('secureConnection', () => {
    connections += 1
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const readAll = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Answers with JSON. */
export const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
