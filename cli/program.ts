import { Command, Help } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { driverCommand, templateCommand } from './commands/catalog.ts'
import { clusterCommand } from './commands/cluster.ts'
import { addCompletion } from './commands/completion.ts'
import { credentialsCommand } from './commands/credentials.ts'
import { doctorCommand } from './commands/doctor.ts'
import { federationCommand } from './commands/federation.ts'
import { grantCommand } from './commands/grant.ts'
import { initCommand } from './commands/init.ts'
import { credentialCommand } from './commands/kubeconfig.ts'
import { SERVER_GROUP, withServer } from './commands/options.ts'
import { profileCommands } from './commands/profile.ts'
import { serverCommand } from './commands/server.ts'
import { eventsCommand, triggerCommand } from './commands/trigger.ts'
import { userCommand } from './commands/user.ts'
import type { Io } from './io.ts'

const GROUPS = [
  initCommand,
  federationCommand,
  clusterCommand,
  grantCommand,
  templateCommand,
  driverCommand,
  eventsCommand,
  triggerCommand,
  credentialsCommand,
  doctorCommand,
  credentialCommand,
]

const inherit = (command: Command, words: string): void => {
  for (const child of command.commands) {
    const own = `${words} ${child.name()}`
    child.copyInheritedSettings(command).showHelpAfterError(`Try: ${own} --help`)
    inherit(child, own)
  }
}

/** All verbs. `docs/cli.md` is made from it. */
export const createProgram = (io: Io): Command => {
  const program = new Command('fedplane')
    .description('Kubernetes clusters from anywhere, and federations of them.')
    .version(`fedplane ${manifest.version}`, '-V, --version')
    .exitOverride()
    .showHelpAfterError('Try: fedplane --help')
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      // How to reach the server is the same everywhere, and comes last.
      groupItems: (all, visible, groupOf) => {
        const groups = new Help().groupItems(all, visible, groupOf)
        return new Map(
          [...groups].sort(([one], [other]) => Number(one === SERVER_GROUP) - Number(other === SERVER_GROUP)),
        )
      },
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'fedplane: ')),
    })
  for (const make of GROUPS) program.addCommand(make(io))
  for (const verb of profileCommands(io)) program.addCommand(verb)
  const users = userCommand(io)
  program.addCommand(users)
  inherit(program, program.name())
  // The usual refusal would print them, and one may be a password.
  for (const verb of users.commands) verb.allowExcessArguments()
  program.addCommand(serverCommand(program))
  addCompletion(io, program)
  withServer(program)
  program.hook('preAction', (_, action) => {
    // `fedplane --server URL cluster list`: before the verb as well as behind it.
    for (const [name, value] of Object.entries(program.opts())) {
      if (action.getOptionValue(name) === undefined) action.setOptionValue(name, value)
    }
  })
  return program
}
