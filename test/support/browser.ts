import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'

/** How long a page may take from the start of the browser to its result, milliseconds. Usual: 2,000. */
const DEADLINE_MS = 60_000

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

const findChromium = (): string => {
  for (const name of NAMES) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    } catch {
      // The next one.
    }
  }
  throw new Error('This test needs Chromium: apt-get install chromium.')
}

const pageOf = (script: string, argument: unknown): string => `<!doctype html><meta charset="utf-8"><title>page</title>
<script type="module">
const run = async (argument) => { ${script} }
const told = await run(${JSON.stringify(argument)}).then((value) => ({ value }), (error) => ({ error: String(error) }))
await fetch('/told', { method: 'POST', body: JSON.stringify(told) })
</script>`

type Told = { value: unknown } | { error: string }

const serve = async (page: string, onTold: (told: Told) => void): Promise<Server> => {
  const server = createServer(async (request, response) => {
    if (request.url === '/told') {
      onTold((await json(request)) as Told)
      response.end()
    } else response.writeHead(request.url === '/' ? 200 : 404, { 'content-type': 'text/html' }).end(page)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const startChromium = (url: string, profile: string): ChildProcess =>
  spawn(
    findChromium(),
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      `--user-data-dir=${profile}`,
      url,
    ],
    { stdio: 'ignore', env: { ...process.env, HOME: profile } },
  )

const endChromium = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

const deadline = (): Promise<never> =>
  new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`The page told nothing within ${DEADLINE_MS / 1000} s.`)), DEADLINE_MS).unref()
  })

/**
 * Runs a script in a page of Chromium, as any web page runs it: the body of an async function with the parameter `argument`. The page is of an
 * origin of its own, on a loopback port that nobody else has.
 *
 * @param site host name of the page's URL. Default `127.0.0.1`; `localhost` makes it of another site than what is at 127.0.0.1
 * @returns what the script returned, as JSON has it
 * @throws what the script threw, as text, and when there is no Chromium
 */
export const runInBrowser = async (script: string, argument?: unknown, site = '127.0.0.1'): Promise<unknown> => {
  const told = Promise.withResolvers<Told>()
  const server = await serve(pageOf(script, argument ?? null), told.resolve)
  const profile = mkdtempSync(join(tmpdir(), 'fedplane-browser-'))
  const { port } = server.address() as AddressInfo
  const child = startChromium(`http://${site}:${port}/`, profile)
  try {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`Chromium ended with code ${code} before the page told anything.`)
    })
    const answer = await Promise.race([told.promise, ended, deadline()])
    if ('error' in answer) throw new Error(answer.error)
    return answer.value
  } finally {
    await endChromium(child)
    server.close()
    server.closeAllConnections()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
