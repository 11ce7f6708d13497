import { command } from '../../command.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { coreArgument } from './shared/core.js'

/** `coffer cores remove <id>`. */
export const remove = command({
  path: ['cores', 'remove'],
  summary: 'Remove a core without accounts from the platform',
  description:
    'Fails while the core has accounts. Its join tokens are revoked. Stop its node first.\n\n' +
    'The removed machine still has the key of the platform and the operator key, and its certificate is valid for up to 90 days. If others can access it, change auth.adminAccessKey on all cores, and remove its user from etcd.',
  arguments: { id: coreArgument },
  options: { yes: yesOption() },
  examples: [
    { type: 'coffer cores remove core-b', description: 'remove a core, after a question' },
    { type: 'coffer cores remove core-b --yes', description: 'for scripts' },
  ],
  json: '{"coreDeletion":{"id"}}',
  offline: true,
  async run({ out, connect, terminal, commandFor }, { id, yes }) {
    const client = await connect()
    // An unknown core is reported before the question.
    await client.call('cores.show', { id }, {})
    await confirm(terminal, `Remove the core ${id} from the platform?`, yes)
    const answer = await client.call('cores.remove', { id }, {})
    await out.result(answer, {
      id,
      print: () => {
        out.done(`Core ${id} removed.`)
        out.note(`  If others can access its machine, change the operator key on all cores: ${commandFor('config', 'set', 'auth.adminAccessKey', '--stdin')}`)
      },
    })
  },
})
