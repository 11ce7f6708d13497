import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { LOCAL, readRegistry, unknownNode, writeRegistry } from '../../client/nodeRegistry.js'

/** `coffer nodes use`. */
export const use = command({
  path: ['nodes', 'use'],
  summary: 'Set the default node for commands',
  description:
    '"local" is the node of this machine, which is the default. --node, --home and COFFER_HOME take precedence. Each command that goes to a remote node prints its name first; some commands only work on the node of this machine, such as start, backup and config.',
  arguments: { name: text('Name of a node, or local', { required: true, names: 'node' }) },
  examples: [
    { type: 'coffer nodes use nas', description: 'send commands to this node from now on' },
    { type: 'coffer nodes use local', description: 'switch back to this machine' },
  ],
  json: '{"inUse"}, null for this machine',
  reach: 'none',
  offline: true,
  async run({ out, env }, { name }) {
    const registry = readRegistry(env)
    if (name !== LOCAL && !Object.hasOwn(registry.nodes, name)) throw unknownNode(registry, name)
    const inUse = name === LOCAL ? null : name
    await writeRegistry(env, { ...registry, inUse })
    await out.result(
      { inUse },
      { id: name, print: () => out.done(inUse === null ? 'Commands now go to the node of this machine' : `Commands now go to ${name}, ${registry.nodes[name]?.url ?? ''}`) },
    )
  },
})
