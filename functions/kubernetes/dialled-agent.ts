import { Agent, type AgentOptions } from 'node:https'
import { Duplex } from 'node:stream'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import type { Dial } from './client.ts'

/** A stream that dials when it is made and holds what is written until it is there; its errors are the dial's, and the stream's. */
const dialled = (dial: Dial): Duplex => {
  let inner: Duplex | undefined
  const outer: Duplex = new Duplex({
    construct: (callback) => {
      dial().then((stream) => {
        inner = stream
        stream.on('data', (chunk: Buffer) => {
          if (!outer.push(chunk)) stream.pause()
        })
        stream.once('end', () => outer.push(null))
        stream.on('error', (error) => outer.destroy(error))
        stream.once('close', () => {
          // What came before a good end is still to be read.
          if (!stream.readableEnded) outer.destroy()
        })
        callback()
      }, callback)
    },
    read: () => {
      inner?.resume()
    },
    write: (chunk: Buffer, _encoding, callback) => {
      inner?.write(chunk, callback)
    },
    final: (callback) => {
      inner?.end(callback)
    },
    destroy: (error, callback) => {
      inner?.destroy()
      callback(error)
    },
  })
  return outer
}

/** TLS over what `dial` gives, in place of a TCP connection. Names are checked as `options` say. */
export const tlsOver = (dial: Dial, options: ConnectionOptions): TLSSocket => {
  const stream = dialled(dial)
  const socket = connect({ ...options, socket: stream })
  // TLS tells of the stream's end, but not why.
  stream.once('error', (error) => socket.destroy(error))
  socket.once('close', () => stream.destroy())
  return socket
}

/** Keeps connections over what `dial` gives as the plain agent keeps TCP connections. */
export class DialledAgent extends Agent {
  readonly #dial: Dial

  constructor(dial: Dial, options: AgentOptions) {
    super(options)
    this.#dial = dial
  }

  override createConnection(options: ConnectionOptions): Duplex {
    return tlsOver(this.#dial, options)
  }
}
