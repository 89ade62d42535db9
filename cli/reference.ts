import type { Argument, Command, Option } from 'commander'
import { examplesOf, SERVER_GROUP } from './commands/options.ts'
import { EXIT } from './errors.ts'

/** docs/cli.md, made from the definitions of the verbs; a test compares. */

const HEAD = `# The command line

\`fedplane\` runs on your machine: \`npm run cli -- …\` in the checkout, \`fedplane …\` once the package is installed ([how](laptop.md#the-command-line)).
Help of each verb: \`fedplane VERB --help\`. This page is made from the same definitions.

## Habits

- Clusters and federations are named by name or uuid, clusters of your own by their context.
- \`-o\` takes ${'`table`, `wide`, `json`, `yaml`, `name`, `jsonpath=TEMPLATE`'}. JSON and YAML are what the API answers, lists with all their pages.
- Verbs that begin long work wait for it, with progress on standard error. \`--no-wait\` and \`--timeout 5m\` end sooner.
- A line that creates something, run again while that is there or being made, creates nothing twice. \`init\` goes on where it was ended.
- Ctrl-C stops watching, never the work. The last line says how to look again.
- Verbs that destroy say what goes, and ask. \`--yes\` answers.
- Results are on standard output, all else on standard error. \`NO_COLOR\` and a pipe switch colours off.
- Tokens and kubeconfigs are read from files, standard input or a program, and never from an argument.

## Which server, and who asks

The first of these that is there:

1. \`--profile NAME\`, a profile of \`fedplane login\`, in \`\${XDG_CONFIG_HOME:-~/.config}/fedplane/profiles.json\` (mode 0600)
2. \`--os-cloud NAME\`, an entry of clouds.yaml: password, application credential, token, \`none\`, \`admin_token\`
3. \`FEDPLANE_PROFILE\`
4. \`FEDPLANE_TOKEN\`, with \`FEDPLANE_CA_FILE\` for a private CA
5. \`OS_CLOUD\`
6. \`OS_AUTH_URL\` and its relatives, as an openrc file sets them
7. the current profile
8. the server on this machine, http://127.0.0.1:9511, without a token

\`--server URL\` and \`FEDPLANE_SERVER\` replace the address only.

Before a token or password goes to another machine over \`http://\`, a warning says so. \`FEDPLANE_ALLOW_HTTP=true\` silences it where the network is safe.

## Exit codes

`

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'it failed, or the server refused it',
  usage: 'the command line is wrong; also a question that nobody could be asked',
  notFound: 'what it names does not exist',
  denied: 'no valid credential, or not enough rights',
  timedOut: '`--timeout` is over; the work goes on',
  unreachable: 'no server answers',
  interrupted: 'Ctrl-C; the work goes on',
}

const exitCodes = (): string =>
  `| code | meaning |\n|---|---|\n${Object.entries(EXIT)
    .map(([name, code]) => `| ${code} | ${EXIT_MEANINGS[name as keyof typeof EXIT]} |\n`)
    .join('')}`

const cell = (text: string): string => text.replaceAll('|', '\\|')

const argumentRow = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`
  return `| ${argument.required ? `\`${name}\`` : `[\`${name}\`]`} | ${cell(argument.description)} |\n`
}

const optionRow = ({ flags, description, defaultValue, argChoices }: Option): string => {
  const choices = argChoices ? ` (${argChoices.join(', ')})` : ''
  const usual = defaultValue === undefined || typeof defaultValue === 'boolean' ? '' : ` (default: ${defaultValue})`
  return `| \`${flags}\` | ${cell(description)}${choices}${usual} |\n`
}

const verb = (path: string, command: Command): string => {
  const options = command.options.filter(({ helpGroupHeading, hidden }) => helpGroupHeading !== SERVER_GROUP && !hidden)
  const rows = [...command.registeredArguments.map(argumentRow), ...options.map(optionRow)]
  const table = rows.length === 0 ? '' : `\n| argument, option | meaning |\n|---|---|\n${rows.join('')}`
  return `### ${path}\n\n${command.description()}\n\n\`\`\`sh\n${examplesOf(command).join('\n')}\n\`\`\`\n${table}\n`
}

const verbsBelow = (path: string, command: Command): string =>
  command.commands.length === 0
    ? verb(path, command)
    : command.commands.map((child) => verbsBelow(`${path} ${child.name()}`, child)).join('')

/** The text of docs/cli.md. */
export const referenceOf = (program: Command): string => {
  const shown = program.commands.filter((command) => !command.name().startsWith('__'))
  const sections = shown.map(
    (command) => `## ${command.name()}\n\n${verbsBelow(`fedplane ${command.name()}`, command)}`,
  )
  return `${HEAD}${exitCodes()}\n${sections.join('')}`.trimEnd().concat('\n')
}
