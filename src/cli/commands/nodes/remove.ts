import { errorMessage } from '../../../store/model/errorMessage.js'
import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { keychainName, readRegistry, unknownNode, writeRegistry } from '../../client/nodeRegistry.js'

/** `coffer nodes remove`. */
export const remove = command({
  path: ['nodes', 'remove'],
  summary: 'Remove a remote node and its operator key from this machine',
  description: 'Nothing changes on that node, and the key stays valid there. To replace it, run coffer config set auth.adminAccessKey on its machine.',
  arguments: { name: text('Name of the node', { required: true, names: 'node' }) },
  examples: [{ type: 'coffer nodes remove nas', description: 'remove a node' }],
  json: '{"nodeDeletion":{"name"}}',
  reach: 'none',
  offline: true,
  async run({ out, env }, { name }) {
    const { inUse, nodes } = readRegistry(env)
    const known = Object.hasOwn(nodes, name) ? nodes[name] : undefined
    if (known === undefined) throw unknownNode({ inUse, nodes }, name)
    if (known.key === undefined) {
      const { systemKeychain } = await import('../../../store/keyring/keychain.js')
      await systemKeychain.remove(keychainName(name)).catch((error: unknown) => {
        out.warn(`${errorMessage(error)} The key may still be stored there, as coffer, ${keychainName(name)}.`)
      })
    }
    delete nodes[name]
    await writeRegistry(env, { inUse: inUse === name ? null : inUse, nodes })
    await out.result(
      { nodeDeletion: { name } },
      {
        id: name,
        print: () => {
          out.done(`Node ${name} removed`)
          if (inUse === name) out.note('Commands now go to the node of this machine')
        },
      },
    )
  },
})
