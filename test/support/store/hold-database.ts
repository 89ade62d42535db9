import { startEmbeddedDynamoDb } from '../../../local/dynamodb/embedded-dynamodb.ts'

/** Run as a process of its own, to be killed: starts the database on the directory given, says its pid, and goes on for ever. */
const { pid, endpoint } = await startEmbeddedDynamoDb({ dataDir: process.argv[2], endpoint: undefined })
process.stdout.write(`${JSON.stringify({ pid, endpoint })}\n`)
setInterval(() => undefined, 60_000)
