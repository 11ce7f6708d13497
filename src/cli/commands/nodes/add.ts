import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { readSecret } from '../../terminal/input/secret.js'
import { textOf } from '../../client/answer.js'
import { keychainProblem } from '../../terminal/output/keychainProblem.js'
import { openRemote } from '../../client/remote.js'
import { keychainName, LOCAL, readRegistry, writeRegistry } from '../../client/nodeRegistry.js'
import { nodeUrl } from '../../client/nodeUrl.js'
import { choice, flag, text } from '../../framework/option.js'
import { Secret } from '../../../store/model/secret.js'

const PATIENCE_MS = 20_000
const NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/i

/** `coffer nodes add`. */
export const add = command({
  path: ['nodes', 'add'],
  summary: 'Name a node of another machine, and keep its operator key',
  description:
    'Commands go to it with --node <name>, or all of them after coffer nodes use <name>. Its operator key opens it, and whoever has that key can act as any account there: coffer config get auth.adminAccessKey --reveal prints it on its machine. That node must take commands from other machines: coffer config set remoteControl.active true, and coffer restart.\n\n' +
    'The address must begin with https:// unless the node is reached on this machine, such as through a tunnel: ssh -L 3001:localhost:3000 that-machine, then http://localhost:3001. The key is tried before anything is kept.',
  arguments: {
    name: text('What to call it here', { required: true }),
    url: text('Its address', { required: true }),
  },
  options: {
    keyStdin: flag('Read the operator key from stdin'),
    keyFile: text('Read the operator key from a file', { placeholder: 'file', completes: 'file' }),
    keepKey: choice(['file', 'keychain'], 'Where the key is kept here: in nodes.json, mode 0600, or in the keychain of the system; file without it'),
    noCheck: flag('Do not try the address and the key'),
  },
  examples: [
    { type: 'coffer nodes add nas https://nas.example.org', says: 'asks for the key' },
    { type: 'coffer nodes add nas https://nas.example.org --key-file nas.key --keep-key keychain', says: 'without a question' },
  ],
  json: '{"node":{"name","url","keyIn","inUse"},"version"}; version is null with --no-check',
  reach: 'none',
  offline: true,
  async run({ out, terminal, env, flags }, { name, url: typed, keyStdin, keyFile, keepKey: keyIn = 'file', noCheck }) {
    if (!NAME.test(name) || name === LOCAL) {
      throw usageError(`<name> takes letters, digits, dots, - and _, and is not ${LOCAL}, which is the node of this machine: not ${JSON.stringify(name)}`)
    }
    const registry = readRegistry(env)
    if (Object.hasOwn(registry.nodes, name)) {
      throw new CommandError(`There is a node ${name} already.`, { exit: 6, hint: `Take it out first: coffer nodes remove ${name}` })
    }
    const url = nodeUrl(typed)
    const source = { prompt: `Operator key of ${url}`, missing: '--key-stdin', stdin: keyStdin, file: keyFile }
    const key = new Secret((await readSecret(terminal, source)).trim())
    let version: string | null = null
    if (!noCheck) {
      const client = await openRemote({ name, url, key }, flags.timeoutMs ?? PATIENCE_MS)
      version = textOf((await client.call('node.status', {}, {}))['version'])
    }
    if (keyIn === 'keychain') {
      const { systemKeychain } = await import('../../../store/keyring/keychain.js')
      await systemKeychain.write(keychainName(name), key.reveal()).catch((cause: unknown) => {
        throw keychainProblem(cause, 'Or keep it in the file: --keep-key file')
      })
    }
    registry.nodes[name] = keyIn === 'keychain' ? { url } : { url, key: key.reveal() }
    await writeRegistry(env, registry)
    await out.result(
      { node: { name, url, keyIn, inUse: false }, version },
      {
        id: name,
        print: () => {
          out.done(version === null ? `Node ${name} added, not tried` : `Node ${name} added: coffer ${version} at ${url}`)
          out.note(`  Once: coffer status --node ${name}      From now on: coffer nodes use ${name}`)
        },
      },
    )
  },
})
