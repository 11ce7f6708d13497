import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { keychainName, readRegistry, unknownNode, writeRegistry } from '../../client/nodeRegistry.js'

/** `coffer nodes remove`. */
export const remove = command({
  path: ['nodes', 'remove'],
  summary: 'Forget a node of another machine, and its operator key',
  description: 'Nothing changes on that node. The key still opens it: on its machine, coffer config set auth.adminAccessKey gives it another.',
  arguments: { name: text('The name of a node', { required: true, names: 'node' }) },
  examples: [{ type: 'coffer nodes remove nas', says: 'not known here any more' }],
  json: '{"nodeDeletion":{"name"}}',
  reach: 'none',
  offline: true,
  async run({ out, env }, { name }) {
    const { inUse, nodes } = readRegistry(env)
    const known = Object.hasOwn(nodes, name) ? nodes[name] : undefined
    if (known === undefined) throw unknownNode(name)
    if (known.key === undefined) {
      const { systemKeychain } = await import('../../../store/keyring/keychain.js')
      await systemKeychain.remove(keychainName(name)).catch((error: unknown) => {
        out.warn(`${error instanceof Error ? error.message : String(error)} The key may still be in it, as coffer, ${keychainName(name)}.`)
      })
    }
    delete nodes[name]
    await writeRegistry(env, { inUse: inUse === name ? null : inUse, nodes })
    await out.result(
      { nodeDeletion: { name } },
      {
        id: name,
        print: () => {
          out.done(`Node ${name} forgotten`)
          if (inUse === name) out.note('Commands go to the node of this machine again')
        },
      },
    )
  },
})
