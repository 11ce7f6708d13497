import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { readSecret } from '../../terminal/input/secret.js'
import { keychainProblem } from '../../terminal/output/keychainProblem.js'
import { assertNodeAt, openRemote } from '../../client/remote.js'
import { keychainName, LOCAL, readRegistry, writeRegistry } from '../../client/nodeRegistry.js'
import { nodeUrl } from '../../client/nodeUrl.js'
import { choice, flag, inputFile, text } from '../../framework/option.js'
import { Secret } from '../../../store/model/secret.js'

/** Time limit for the check of the URL and the key, in milliseconds. */
const TIMEOUT_MS = 20_000
const NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/i

/** `coffer nodes add`. */
export const add = command({
  path: ['nodes', 'add'],
  summary: 'Add a remote node and store its operator key',
  description:
    'Afterwards, use --node <name> to send one command to it, or coffer nodes use <name> to send all. The operator key gives full access: anyone who has it can act as any account on that node. Print the key on its machine with coffer config get auth.adminAccessKey --reveal. That node must accept commands from other machines: coffer config set remoteControl.active true, then coffer restart.\n\n' +
    'The URL must start with https:// unless the node is reached on this machine, for example through a tunnel: ssh -L 3001:localhost:3000 that-machine, then http://localhost:3001. The address is checked before coffer asks for the key, and the key before anything is stored.',
  arguments: {
    name: text('Name of the node on this machine', { required: true }),
    url: text('URL of the node', { required: true }),
  },
  options: {
    keyStdin: flag('Read the operator key from stdin', { stdin: 'always' }),
    keyFile: inputFile('Read the operator key from a file'),
    keepKey: choice(['file', 'keychain'], 'Storage of the key: in nodes.json, mode 0600, or in the keychain of the system; defaults to file'),
    noCheck: flag('Do not check the URL and the key'),
  },
  examples: [
    { type: 'coffer nodes add nas https://nas.example.org', description: 'prompt for the key' },
    { type: 'coffer nodes add nas https://nas.example.org --key-file nas.key --keep-key keychain', description: 'without prompting' },
  ],
  json: '{"node":{"name","url","keyIn","inUse"},"version"}; version is null with --no-check',
  reach: 'none',
  offline: true,
  async run({ out, terminal, env, flags }, { name, url: typed, keyStdin, keyFile, keepKey: keyIn = 'file', noCheck }) {
    if (!NAME.test(name) || name === LOCAL) {
      throw usageError(`<name> takes letters, digits, dots, - and _, and not ${LOCAL}, which means the node of this machine: ${JSON.stringify(name)}`)
    }
    const registry = readRegistry(env)
    if (Object.hasOwn(registry.nodes, name)) {
      throw new CommandError(`A node named ${name} already exists.`, { exit: 6, hint: `Remove it first: coffer nodes remove ${name}` })
    }
    const url = nodeUrl(typed)
    const source = { prompt: `Operator key of ${url}`, missing: '--key-stdin', stdin: keyStdin, file: keyFile }
    // A wrong address is reported before a key is asked for.
    if (!noCheck && (terminal.mayAsk || keyStdin || keyFile !== undefined)) await assertNodeAt(url, flags.timeoutMs ?? TIMEOUT_MS)
    const key = new Secret((await readSecret(terminal, source)).trim())
    let version: string | null = null
    if (!noCheck) {
      const client = await openRemote({ name, url, key }, flags.timeoutMs ?? TIMEOUT_MS)
      version = (await client.call('node.status', {}, {})).version
    }
    if (keyIn === 'keychain') {
      const { systemKeychain } = await import('../../../store/keyring/keychain.js')
      await systemKeychain.write(keychainName(name), key.reveal()).catch((cause: unknown) => {
        throw keychainProblem(cause, 'Or store it in the file: --keep-key file')
      })
    }
    registry.nodes[name] = keyIn === 'keychain' ? { url } : { url, key: key.reveal() }
    await writeRegistry(env, registry)
    await out.result(
      { node: { name, url, keyIn, inUse: false }, version },
      {
        id: name,
        print: () => {
          out.done(version === null ? `Node ${name} added without a check` : `Node ${name} added: coffer ${version} at ${url}`)
          out.note(`  For one command: coffer status --node ${name}      For all: coffer nodes use ${name}`)
        },
      },
    )
  },
})
