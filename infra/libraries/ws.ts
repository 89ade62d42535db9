// What `pods/portforward` uses of it: the client.
export { WebSocket } from 'ws'
