// Loaded before the TypeScript that older versions of Node can't read, hence plain JavaScript.
import process from 'node:process'

const needed = 24
const [major] = process.versions.node.split('.')
if (Number(major) < needed) {
  process.stderr.write(
    `fedplane needs Node.js ${needed} or later, and this is ${process.versions.node}. ` +
      (process.platform === 'linux'
        ? 'Run npm ci, then start it with npm (npm start, npm run cli), which takes the one that npm ci brings.\n'
        : 'npm brings one to Linux only: install a newer Node.js (https://nodejs.org), and the same again.\n'),
  )
  process.exit(1)
}
// Modules compiled once are kept for the next start: about half of the time until the first answer.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
